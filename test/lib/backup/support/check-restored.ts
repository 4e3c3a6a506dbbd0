import type { Test } from 'tap'
import { type DatabaseLocation, openDatabase } from '../../../../lib/database/open-database.ts'
import { createJobs } from '../../../../lib/jobs/jobs.ts'
import { startWorker } from '../../../../lib/jobs/start-worker.ts'
import { ingestMessage } from '../../../../lib/mail/ingest-message.ts'
import { startApp } from '../../../app/plumbing/start-app.ts'
import { toIds } from '../../../app/resources/answers.ts'
import { createPerson } from '../../../app/resources/person.ts'
import { seedTwoOrganizations, type TwoOrganizations } from '../../../app/support/seed-two-organizations.ts'
import { eventually, hasty, silent } from '../../jobs/support/start-jobs.ts'
import { addInbox } from '../../mail/support/add-inbox.ts'
import { sampleMessage } from '../../mail/support/sample-message.ts'
import { countRows } from '../../retention/support/aged-rows.ts'

export interface Filled {
  readonly people: TwoOrganizations
  readonly emailId: string
  readonly rows: Record<string, number>
}

/** Two organizations, and a message that is taken in and that nobody has read yet. */
export async function fill(location: DatabaseLocation): Promise<Filled> {
  const database = await openDatabase(location)
  try {
    const jobs = createJobs(database, { log: silent, ...hasty })
    await jobs.start()
    const people = await seedTwoOrganizations(database)
    const { billing: tenant } = people
    const inboxId = await addInbox(database, tenant)
    const raw = sampleMessage('kept@supplier.test')
    const { emailId } = await database.inTenant(tenant, trx =>
      ingestMessage(trx, { tenant, inboxId, raw, envelopeFrom: null, createdBy: null }),
    )
    await jobs.stop()
    return { people, emailId, rows: await countRows(database) }
  } finally {
    await database.close()
  }
}

/** Whether a restored database is as good as the first: its rows, who sees them, its jobs, and new mail. */
export async function checkRestored(
  t: Test,
  location: DatabaseLocation,
  { people, emailId, rows }: Filled,
): Promise<void> {
  const database = await openDatabase(location)
  t.teardown(() => database.close())
  t.same(await countRows(database), rows, 'every row is there')

  const jobs = createJobs(database, { log: silent, ...hasty })
  await jobs.start()
  t.teardown(() => jobs.stop())
  const { app } = await startApp(t, { beside: { database, people } })
  const bia = createPerson(app, people.bia)
  t.match((await bia.get(`/emails/${emailId}`)).body, { data: { status: 'received' } })

  const worker = await startWorker({ database, jobs, log: silent })
  await eventually(async () => {
    const { body } = await bia.get('/emails?status=processed')
    return toIds({ status: 200, headers: {}, body }).ids.includes(emailId)
  }, 60)
  await worker.stop()
  t.pass('a job from before the backup is done')

  const strangers = [
    createPerson(app, people.leo),
    createPerson(app, people.ana, { workspaceId: people.support.workspaceId }),
  ]
  for (const stranger of strangers) {
    t.match(await stranger.get(`/emails/${emailId}`), { status: 404, body: { code: 'not_found' } })
    t.same(toIds(await stranger.get('/emails')).ids, [])
  }
  // Without a where clause: the policies and grants alone keep tenants apart.
  const seen = (tenant: typeof people.main) =>
    database.inTenant(tenant, trx => trx.selectFrom('emails').select('id').execute())
  t.same(await seen(people.billing), [{ id: emailId }])
  t.same(await seen(people.main), [])
  await t.rejects(
    database.inTenant(people.main, trx => trx.deleteFrom('audit_events').execute()),
    { code: '42501' },
    'rights are as they were',
  )
}
