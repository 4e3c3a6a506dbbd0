import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Test, test } from 'tap'
import type { Database, Tenant } from '../../../lib/database/database.ts'
import { type DatabaseLocation, openDatabase } from '../../../lib/database/open-database.ts'
import { createJobs } from '../../../lib/jobs/jobs.ts'
import type { EmailJob } from '../../../lib/jobs/queues.ts'
import { startWorker } from '../../../lib/jobs/start-worker.ts'
import { ingestMessage } from '../../../lib/mail/ingest-message.ts'
import { processEmail } from '../../../lib/mail/process-email.ts'
import { createTestLocation } from '../../app/support/open-test-database.ts'
import { seedTwoOrganizations } from '../../app/support/seed-two-organizations.ts'
import { toProgram } from '../../project.ts'
import { addInbox } from '../mail/support/add-inbox.ts'
import { sampleMessage } from '../mail/support/sample-message.ts'
import { eventually, hasty, silent } from './support/start-jobs.ts'

/** What each kill must leave behind: for whoever looks at the e-mail before it is read again. */
const points = { claimed: 'processing', written: 'processing', committed: 'processed' }

test('a killed worker loses nothing, and its job takes effect once', { timeout: 300_000 }, async t => {
  const location = await createTestLocation(t)
  let database = await openDatabase(location)
  t.teardown(() => database.close())
  const inbox = await setUp(database)
  for (const [point, left] of Object.entries(points)) {
    const job = await takeMessageIn(database, inbox, point)
    // The embedded database is the worker's alone.
    await database.close()
    await runAndKill(t, location, point)

    database = await openDatabase(location)
    const before = await readState(database, job)
    t.equal(before.status, left, `killed when the job is ${point}`)
    await finish(database, job)
    const after = await readState(database, job)
    t.match(after, { status: 'processed', texts: 1, attachments: 2, contents: 2, operation: 'succeeded' })
    if (point === 'committed') t.same(after, before, 'nothing happened a second time')

    await processEmail(database, job)
    t.same(await readState(database, job), after, 'and does not happen whatever runs again')
  }
})

interface Inbox {
  readonly tenant: Tenant
  readonly inboxId: string
}

async function setUp(database: Database): Promise<Inbox> {
  const jobs = createJobs(database, { log: silent, ...hasty })
  await jobs.start()
  const { billing: tenant } = await seedTwoOrganizations(database)
  const inboxId = await addInbox(database, tenant)
  await jobs.stop()
  return { tenant, inboxId }
}

async function takeMessageIn(
  database: Database,
  { tenant, inboxId }: Inbox,
  point: string,
): Promise<EmailJob> {
  const raw = sampleMessage(`${point}@supplier.test`)
  const { emailId, operationId } = await database.inTenant(tenant, trx =>
    ingestMessage(trx, { tenant, inboxId, raw, envelopeFrom: null, createdBy: null }),
  )
  return { emailId, operationId: operationId ?? '', ...tenant }
}

async function runAndKill(t: Test, location: DatabaseLocation, point: string): Promise<void> {
  const child = spawn(
    process.execPath,
    [...toProgram('test/lib/jobs/support/worker-to-kill.ts'), JSON.stringify(location), point],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  t.teardown(() => child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  await Promise.race([
    once(child.stdout, 'data'),
    ended.then(([code]) => Promise.reject(new Error(`the worker ended by itself with ${code}`))),
  ])
  child.kill('SIGKILL')
  await ended
}

async function finish(database: Database, job: EmailJob): Promise<void> {
  const jobs = createJobs(database, { log: silent, ...hasty })
  await jobs.start()
  try {
    const worker = await startWorker({ database, jobs, log: silent })
    await eventually(async () => {
      const { rows } = await database.pool.query(`select from pgboss.job where state <> 'completed'`)
      return rows.length === 0
    }, 60)
    await worker.stop()
    await eventually(async () => (await readState(database, job)).operation === 'succeeded')
  } finally {
    await jobs.stop()
  }
}

async function readState(database: Database, { emailId }: EmailJob) {
  const { rows } = await database.pool.query(
    `select status, processed_at, updated_at, version,
      (select count(*)::int from email_texts where email_id = emails.id) as texts,
      (select array_agg(id order by position) from attachments where email_id = emails.id) as attachment_ids,
      (select count(*)::int from attachments where email_id = emails.id) as attachments,
      (select count(*)::int from attachments join attachment_contents on attachment_id = id
        where email_id = emails.id) as contents,
      (select status from operations where email_id = emails.id) as operation
    from emails where id = $1`,
    [emailId],
  )
  return rows[0]
}
