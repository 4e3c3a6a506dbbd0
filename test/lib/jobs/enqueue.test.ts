import { sql } from 'kysely'
import tap, { test } from 'tap'
import { eventually, startJobs } from './support/start-jobs.ts'

const { database, jobs, people } = await startJobs(tap)

test('a job is added in the transaction of its caller', async t => {
  const job = { emailId: 'eml_1', operationId: 'opr_1', ...people.billing }

  await t.test('and is gone when that is rolled back', async t => {
    const rolledBack = database.inTenant(people.billing, async trx => {
      await jobs.enqueue(trx, 'email.process', job)
      throw new Error('changed my mind')
    })
    await t.rejects(rolledBack, { message: 'changed my mind' })
    t.equal(await countJobs(), 0)
  })

  await t.test('and is gone with the savepoint that it was added after', async t => {
    const open = await database.begin({ kind: 'tenant', tenant: people.billing })
    await open.savepoint('before')
    await jobs.enqueue(open.trx, 'email.process', job)
    await open.rollbackTo('before')
    await open.commit()
    t.equal(await countJobs(), 0)
  })

  await t.test('and is done once that is committed', async t => {
    const done: unknown[] = []
    await jobs.handle('email.process', async data => {
      done.push(data)
    })
    await database.inTenant(people.billing, trx => jobs.enqueue(trx, 'email.process', job))
    await eventually(() => done.length > 0)
    await jobs.unhandle()
    t.same(done, [job])
  })
})

test("a tenant's transaction reaches nobody else's jobs", async t => {
  const job = { emailId: 'eml_1', operationId: 'opr_1', ...people.billing }

  for (const [who, tenant] of Object.entries({ support: people.support, globex: people.main })) {
    const foreign = database.inTenant(tenant, trx => jobs.enqueue(trx, 'email.process', job))
    await t.rejects(foreign, { code: '42501' }, `${who} cannot add a job for billing`)
  }
  const mixed = { ...job, organizationId: people.globex.id }
  await t.rejects(
    database.inTenant(people.billing, trx => jobs.enqueue(trx, 'email.process', mixed)),
    { code: '42501' },
    'nor can billing for another organization',
  )
  await t.rejects(
    database.inOrganization(people.acme.id, trx => jobs.enqueue(trx, 'email.process', job)),
    { code: '42501' },
    'nor can a transaction without a workspace',
  )
  const nobodys = { emailId: 'eml_1', operationId: 'opr_1' }
  const nowhere = sql`select enqueue_job('email.process', ${JSON.stringify(nobodys)}::jsonb)`
  await t.rejects(
    database.inOrganization(people.acme.id, trx => nowhere.execute(trx)),
    { code: '42501' },
    'not even for no workspace at all',
  )
  const attempts = {
    read: sql`select * from pgboss.job`,
    change: sql`update pgboss.job set data = null`,
    delete: sql`delete from pgboss.job`,
    insert: sql`insert into pgboss.job (name) values ('email.process')`,
    'add a queue to': sql`select pgboss.create_queue('mine', '{}')`,
    'see the queues of': sql`select * from pgboss.queue`,
  }
  for (const [verb, statement] of Object.entries(attempts)) {
    const attempt = database.inTenant(people.billing, trx => statement.execute(trx))
    await t.rejects(attempt, { code: '42501' }, `nobody can ${verb} the job table`)
  }
  const anywhere = sql`select enqueue_job('email.process.dead', ${JSON.stringify(job)}::jsonb)`
  await t.rejects(
    database.inTenant(people.billing, trx => anywhere.execute(trx)),
    { code: '42704' },
    'nor add to a queue that takes no jobs from tenants',
  )
  t.equal(await countJobs(), 0)
})

test('the owner adds jobs for any tenant, as the mail listener does', async t => {
  for (const tenant of [people.billing, people.main]) {
    const job = { emailId: 'eml_1', operationId: 'opr_1', ...tenant }
    await database.asOwner(trx => jobs.enqueue(trx, 'email.process', job))
  }
  t.equal(await countJobs(), 2)
})

test('a job that is for later is not done before its time', async t => {
  const begin = Date.now()
  const job = { deliveryId: 'dlv_1', attempt: 1, operationId: null, ...people.billing }
  const done: number[] = []
  await jobs.handle('webhook.deliver', async () => {
    done.push(Date.now())
  })
  await database.inTenant(people.billing, trx =>
    jobs.enqueue(trx, 'webhook.deliver', job, { startAfter: 1.5 }),
  )
  const [at = 0] = await eventually(() => done.length > 0 && done)
  await jobs.unhandle()
  t.ok(at - begin >= 1_500, `${at - begin} ms`)
})

async function countJobs(): Promise<number> {
  const { rows } = await database.pool.query(`select from pgboss.job where state = 'created'`)
  return rows.length
}
