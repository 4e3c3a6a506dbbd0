import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Test, test } from 'tap'
import type { Database, Tenant } from '../../../lib/database/database.ts'
import { type DatabaseLocation, openDatabase } from '../../../lib/database/open-database.ts'
import { createJobs } from '../../../lib/jobs/jobs.ts'
import type { DeliveryJob } from '../../../lib/jobs/queues.ts'
import { createSecretBox } from '../../../lib/secrets/secret-box.ts'
import { giveUpOnDelivery } from '../../../lib/webhooks/deliver.ts'
import { publishEvent } from '../../../lib/webhooks/publish-event.ts'
import { createWebhook } from '../../../lib/webhooks/repository.ts'
import { startWebhookWorker } from '../../../lib/webhooks/start-webhook-worker.ts'
import { secretsKey } from '../../app/plumbing/start-app.ts'
import { createTestLocation } from '../../app/support/open-test-database.ts'
import { seedTwoOrganizations } from '../../app/support/seed-two-organizations.ts'
import { processDelivery } from '../../app/webhooks/process-delivery.ts'
import { type Receiver, startReceiver } from '../../app/webhooks/start-receiver.ts'
import { toProgram } from '../../project.ts'
import { eventually, hasty, silent } from '../jobs/support/start-jobs.ts'

test('a delivery that was sent by a worker that was killed', { timeout: 120_000 }, async t => {
  const location = await createTestLocation(t)
  let database = await openDatabase(location)
  t.teardown(() => database.close())
  const receiver = await startReceiver(t)
  const tenant = await setUp(database, receiver)
  // The embedded database is the worker's alone.
  await database.close()
  await sendAndKill(t, location, receiver)

  database = await openDatabase(location)
  t.match(await readDeliveries(database, tenant), [{ status: 'pending', attempt_count: 0 }])
  await finish(database, tenant)

  await t.test('is sent again, under the same id, and recorded once', async t => {
    const [first, second, ...more] = receiver.received
    t.same(more, [])
    t.equal(first?.headers['webhook-id'], second?.headers['webhook-id'])
    t.equal(first?.body, second?.body)
    t.match(await readDeliveries(database, tenant), [{ status: 'succeeded', attempt_count: 1 }])
  })

  await t.test('does nothing more when its job runs once more', async t => {
    const [delivery] = await readDeliveries(database, tenant)
    const job = { deliveryId: delivery?.id ?? '', ...tenant, operationId: null }
    for (const attempt of [1, 2]) await processDelivery(database, { ...job, attempt })
    await giveUpOnDelivery(database, { ...job, attempt: 2 })
    t.equal(receiver.received.length, 2)
    t.match(await readDeliveries(database, tenant), [{ status: 'succeeded', attempt_count: 1 }])
  })
})

test('runs of the same attempt side by side are recorded as one', async t => {
  const database = await openDatabase(await createTestLocation(t))
  t.teardown(() => database.close())
  const receiver = await startReceiver(t)
  const tenant = await setUp(database, receiver)
  const [delivery] = await readDeliveries(database, tenant)
  const job: DeliveryJob = { deliveryId: delivery?.id ?? '', ...tenant, attempt: 1, operationId: null }
  receiver.reactions.push(500, 500, 500)
  await Promise.all([1, 2, 3].map(() => processDelivery(database, job)))
  t.match(await readDeliveries(database, tenant), [{ status: 'pending', attempt_count: 1 }])
  const { rows } = await database.pool.query('select number from delivery_attempts')
  t.same(rows, [{ number: 1 }])
  const jobs = await database.pool.query(
    `select data ->> 'attempt' as attempt, start_after > created_on as later from pgboss.job
    where name = 'webhook.deliver' order by 1`,
  )
  t.same(
    jobs.rows,
    [
      { attempt: '1', later: false },
      { attempt: '2', later: true },
    ],
    'and have one successor, later',
  )

  await giveUpOnDelivery(database, { ...job, attempt: 2 })
  t.match(
    await readDeliveries(database, tenant),
    [{ status: 'dead', failure_code: 'internal_error' }],
    'a job that failed for good ends its delivery',
  )
})

async function setUp(database: Database, { url }: Receiver): Promise<Tenant> {
  const jobs = createJobs(database, { log: silent, ...hasty })
  await jobs.start()
  const { billing: tenant } = await seedTwoOrganizations(database)
  const settings = { secretBox: createSecretBox([secretsKey]), allowPrivate: true }
  await database.inTenant(tenant, async trx => {
    await createWebhook(trx, tenant, { webhook: { url, event_types: ['email.processed'] }, settings })
    await publishEvent(trx, tenant, { type: 'email.processed', key: 'one', data: {} })
  })
  await jobs.stop()
  return tenant
}

async function sendAndKill(t: Test, location: DatabaseLocation, { received }: Receiver): Promise<void> {
  const program = toProgram('test/lib/webhooks/support/worker-to-kill.ts')
  const child = spawn(process.execPath, [...program, JSON.stringify(location), secretsKey], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  await eventually(() => received.length === 1, 60)
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

async function finish(database: Database, tenant: Tenant): Promise<void> {
  const jobs = createJobs(database, { log: silent, ...hasty })
  await jobs.start()
  const worker = await startWebhookWorker(
    { database, jobs, log: silent },
    { secretsKeys: [secretsKey], allowPrivate: true },
  )
  await eventually(async () => (await readDeliveries(database, tenant))[0]?.status === 'succeeded', 60)
  await jobs.stop()
  await worker.stop()
}

function readDeliveries(database: Database, tenant: Tenant) {
  return database.inTenant(tenant, trx =>
    trx.selectFrom('deliveries').select(['id', 'status', 'attempt_count', 'failure_code']).execute(),
  )
}
