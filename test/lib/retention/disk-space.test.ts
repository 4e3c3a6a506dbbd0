import { test } from 'tap'
import { startMaintenance } from '../../../lib/database/maintenance.ts'
import { openDatabase } from '../../../lib/database/open-database.ts'
import { storeEmail } from '../../app/resources/store-email.ts'
import { storeAttachment } from '../../app/resources/store-extraction.ts'
import { createEmbeddedLocation } from '../../app/support/embedded-template.ts'
import { insertInbox } from '../../app/support/insert-email.ts'
import { seedTwoOrganizations } from '../../app/support/seed-two-organizations.ts'
import { eventually } from '../jobs/support/start-jobs.ts'
import { age, purge } from './support/aged-rows.ts'

test('the embedded engine gives back what purged bytes took, with its next vacuum', async t => {
  const database = await openDatabase(await createEmbeddedLocation(t))
  t.teardown(() => database.close())
  const { billing } = await seedTwoOrganizations(database)
  const inboxId = await insertInbox(database, billing)
  const raw = 'x'.repeat(1_000_000)
  for (let index = 0; index < 5; index++) {
    const emailId = await storeEmail(database, billing, { inboxId, raw })
    await storeAttachment(database, billing, { emailId, content: Buffer.from(raw) })
  }
  const size = async () => {
    const { rows } = await database.pool.query<{ size: number }>(
      `select pg_total_relation_size('email_sources') + pg_total_relation_size('attachment_contents') as size`,
    )
    return rows[0]?.size ?? 0
  }
  t.ok((await size()) > 10_000_000)
  await age(database, 'inboxes', inboxId, { deleted_at: 8 })
  await purge(database)
  const maintenance = startMaintenance(database.pool, {
    onError: error => t.error(error),
    interval: 20,
    roundsPerVacuum: 1,
  })
  await eventually(async () => (await size()) < 1_000_000)
  await maintenance.stop()
  t.pass('ten megabytes are less than 1 MB of empty tables and indexes')
})
