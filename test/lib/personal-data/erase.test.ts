import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Test, test } from 'tap'
import type { Database, Tenant } from '../../../lib/database/database.ts'
import { type DatabaseLocation, openDatabase } from '../../../lib/database/open-database.ts'
import { createId } from '../../../lib/id/id.ts'
import { createJobs, type Jobs } from '../../../lib/jobs/jobs.ts'
import { erase } from '../../../lib/personal-data/erase.ts'
import { beginErasure } from '../../../lib/personal-data/erasures.ts'
import { startErasureWorker } from '../../../lib/personal-data/start-erasure-worker.ts'
import { insertInbox } from '../../app/support/insert-email.ts'
import { createTestLocation } from '../../app/support/open-test-database.ts'
import { seedTwoOrganizations } from '../../app/support/seed-two-organizations.ts'
import { toProgram } from '../../project.ts'
import { eventually, hasty, silent, startJobs } from '../jobs/support/start-jobs.ts'

const subject = { kind: 'address', value: 'carla@supplier.test' } as const

test('an erasure that is longer than a job goes on in the next one', async t => {
  const { database, jobs, people } = await startJobs(t)
  const { billing, bia } = people
  await storeMany(database, billing, 120)
  const operationId = await begin(database, billing, bia)
  await jobs.handle('data.erase', job => erase(database, job, -1))
  await ended(database, operationId)
  t.same(await readState(database), {
    emails: 2,
    sources: 2,
    operation: 'succeeded',
    error: null,
    erased: 120,
    subject: null,
    events: [{ outcome: 'succeeded', counts: { bytes: 480, emails: 120 } }],
  })
  const { rows } = await database.pool.query(`select from pgboss.job where name = 'data.erase'`)
  t.ok(rows.length >= 3, 'in several jobs')
})

test('an erasure whose worker was killed goes on, and counts each e-mail once', {
  timeout: 300_000,
}, async t => {
  for (const [point, left] of [
    ['written', 72],
    ['committed', 22],
  ] as const) {
    await t.test(`when its batch was ${point}`, { timeout: 120_000 }, async t => {
      const location = await createTestLocation(t)
      let database = await openDatabase(location)
      t.teardown(() => database.close())
      const operationId = await withJobs(database, async () => {
        const { billing, bia } = await seedTwoOrganizations(database)
        await storeMany(database, billing, 120)
        return begin(database, billing, bia)
      })
      // The embedded database is the worker's alone.
      await database.close()
      await runAndKill(t, location, point)

      database = await openDatabase(location)
      t.match(await readState(database), { emails: left, operation: 'running', subject: subject.value })
      await withJobs(database, async jobs => {
        if (database.engine === 'pglite') await jobs.releaseOrphans()
        await startErasureWorker({ database, jobs })
        await ended(database, operationId)
        await jobs.unhandle()
      })
      t.match(await readState(database), { emails: 2, operation: 'succeeded', erased: 120, subject: null })
      t.equal((await readState(database)).events.length, 1)
    })
  }
})

test('an erasure that fails for good says so, forgets its subject and can be asked for again', async t => {
  const { database, jobs, people } = await startJobs(t, { retryLimit: 0 })
  const { billing, bia } = people
  await storeMany(database, billing, 3)
  const operationId = await begin(database, billing, bia)
  let attempts = 0
  const broken: Database = {
    ...database,
    inTenant(tenant, work) {
      attempts += 1
      return attempts === 1 ? Promise.reject(new Error('away')) : database.inTenant(tenant, work)
    },
  }
  await startErasureWorker({ database: broken, jobs })
  await ended(database, operationId)
  t.match(await readState(database), {
    emails: 5,
    operation: 'failed',
    error: 'internal_error',
    subject: null,
    events: [{ outcome: 'failed', counts: { emails: 0 } }],
  })
  await ended(database, await begin(database, billing, bia))
  t.match(await readState(database), { emails: 2, operation: 'succeeded' })
})

/** So many e-mails from the subject, and two from others. */
async function storeMany(database: Database, tenant: Tenant, count: number): Promise<void> {
  const inbox_id = await insertInbox(database, tenant)
  const senders = [...Array<string>(count).fill(subject.value), 'rui@supplier.test', `x${subject.value}`]
  const { organizationId: organization_id, workspaceId: workspace_id } = tenant
  const emails = senders.map(from_address => ({
    id: createId('eml'),
    ...{ organization_id, workspace_id, inbox_id, from_address, size_bytes: 4 },
  }))
  await database.inTenant(tenant, async trx => {
    await trx.insertInto('emails').values(emails).execute()
    const sources = emails.map(({ id }) => ({ email_id: id, workspace_id, raw: Buffer.from('mail') }))
    await trx.insertInto('email_sources').values(sources).execute()
  })
}

async function begin(database: Database, tenant: Tenant, createdBy: string): Promise<string> {
  const { id } = await database.inTenant(tenant, trx => beginErasure(trx, tenant, { subject, createdBy }))
  return id
}

async function withJobs<T>(database: Database, work: (jobs: Jobs) => Promise<T>): Promise<T> {
  const jobs = createJobs(database, { log: silent, ...hasty })
  await jobs.start()
  try {
    return await work(jobs)
  } finally {
    await jobs.stop()
  }
}

async function runAndKill(t: Test, location: DatabaseLocation, point: string): Promise<void> {
  const program = toProgram('test/lib/personal-data/support/eraser-to-kill.ts')
  const child = spawn(process.execPath, [...program, JSON.stringify(location), point], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const hasEnded = once(child, 'exit')
  await Promise.race([
    once(child.stdout, 'data'),
    hasEnded.then(([code]) => Promise.reject(new Error(`the worker ended by itself with ${code}`))),
  ])
  child.kill('SIGKILL')
  await hasEnded
}

async function ended(database: Database, operationId: string): Promise<void> {
  await eventually(async () => {
    const { rows } = await database.pool.query(
      `select from operations where id = $1 and finished_at is not null`,
      [operationId],
    )
    return rows.length === 1
  }, 60)
}

/** Of the newest erasure. */
async function readState(database: Database) {
  const { rows } = await database.pool.query(
    `select (select count(*) from emails) as emails, (select count(*) from email_sources) as sources,
      operations.status as operation, operations.error_code as error, data_erasures.emails as erased, subject,
      (select coalesce(json_agg(json_build_object('outcome', outcome, 'counts', counts)), '[]')
        from audit_events where action = 'data.erase' and resource_id = data_erasures.id) as events
    from data_erasures join operations on resource_id = data_erasures.id
    order by data_erasures.id desc limit 1`,
  )
  return rows[0]
}
