import type { Pool } from 'pg'
import { test } from 'tap'
import { startMaintenance } from '../../../lib/database/maintenance.ts'
import { openDatabase } from '../../../lib/database/open-database.ts'
import { createEmbeddedLocation } from '../../app/support/embedded-template.ts'
import { insertInbox, insertManyEmails } from '../../app/support/insert-email.ts'
import { seedTwoOrganizations } from '../../app/support/seed-two-organizations.ts'

test('what is written is checkpointed and vacuumed, and nothing when nothing was written', async t => {
  const database = await openDatabase(await createEmbeddedLocation(t))
  t.teardown(() => database.close())
  const { billing } = await seedTwoOrganizations(database)
  const inboxId = await insertInbox(database, billing)
  await insertManyEmails(database, billing, { inboxId, count: 500 })
  t.equal(await countedEmails(database.pool), -1, 'the planner knows nothing yet')

  const errors: Error[] = []
  const before = await lastCheckpoint(database.pool)
  const options = { onError: (error: Error) => errors.push(error), interval: 20, roundsPerVacuum: 2 }
  const maintenance = startMaintenance(database.pool, options)
  await until(async () => (await countedEmails(database.pool)) === 500)
  // A second vacuum has nothing to do: from there on the log stands still.
  await until(async () => {
    const position = await lastCheckpoint(database.pool)
    await new Promise(resolve => setTimeout(resolve, 300))
    return position !== before && position === (await lastCheckpoint(database.pool))
  })
  const settled = await lastCheckpoint(database.pool)
  await insertInbox(database, billing)
  await until(async () => (await lastCheckpoint(database.pool)) !== settled)
  await maintenance.stop()
  t.strictSame(errors, [])
})

test('an error of the upkeep is reported and the next round goes on', async t => {
  const database = await openDatabase(await createEmbeddedLocation(t))
  const errors: Error[] = []
  const maintenance = startMaintenance(database.pool, { onError: error => errors.push(error), interval: 20 })
  await database.close()
  await until(async () => errors.length > 1)
  await maintenance.stop()
  t.match(errors[0], /pool/)
})

async function countedEmails(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    `select reltuples::int as n from pg_class where relname = 'emails'`,
  )
  return rows[0]?.n ?? 0
}

async function lastCheckpoint(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ lsn: string }>(
    'select checkpoint_lsn::text as lsn from pg_control_checkpoint()',
  )
  return rows[0]?.lsn ?? ''
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (await isSo()) return
    await new Promise(resolve => setTimeout(resolve, 25))
  }
  throw new Error('it never became so')
}
