import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { test } from 'tap'
import type { Database } from '../../../lib/database/database.ts'
import { openDatabase } from '../../../lib/database/open-database.ts'
import { runRetention } from '../../../lib/retention/run-retention.ts'
import { startRetention } from '../../../lib/retention/start-retention.ts'
import { storeEmail } from '../../app/resources/store-email.ts'
import { insertInbox } from '../../app/support/insert-email.ts'
import { createTestLocation, openTestDatabase } from '../../app/support/open-test-database.ts'
import { seedTwoOrganizations } from '../../app/support/seed-two-organizations.ts'
import { eventually, silent } from '../jobs/support/start-jobs.ts'
import { age, defaultPeriods, purge, readPurges } from './support/aged-rows.ts'

test('what passes its time is purged by itself, again and again, until it is stopped', async t => {
  const database = await openTestDatabase(t)
  const { billing } = await seedTwoOrganizations(database)
  const inboxId = await insertInbox(database, billing)
  const times = { firstAfter: 10, interval: 100 }
  const periods = { deletedDays: 7, auditDays: 365 }
  const retention = startRetention({ database, log: silent, periods, ...times })
  for (const round of [1, 2]) {
    const id = await storeEmail(database, billing, { inboxId })
    await age(database, 'emails', id, { deleted_at: 8 })
    await eventually(async () => (await readPurges(database)).length === round)
  }
  await retention.stop()
  const id = await storeEmail(database, billing, { inboxId })
  await age(database, 'emails', id, { deleted_at: 8 })
  await delay(300)
  t.equal((await readPurges(database)).length, 2)
})

test('a run that cannot be is in the log, and the next one comes', async t => {
  const database = await openTestDatabase(t)
  const errors: string[] = []
  const log = { ...silent, error: (_: object, message: string) => errors.push(message) }
  const broken: Database = { ...database, asOwner: () => Promise.reject(new Error('away')) }
  const periods = { deletedDays: 7, auditDays: 365 }
  const retention = startRetention({ database: broken, log, periods, firstAfter: 1, interval: 20 })
  await eventually(() => errors.length >= 2)
  await retention.stop()
  t.match(errors[0], /could not be purged/)
})

test('a workspace that fails is on record, and the others have their turn', async t => {
  const database = await openTestDatabase(t)
  const { billing, support, main } = await seedTwoOrganizations(database)
  for (const tenant of [billing, support, main]) {
    const inboxId = await insertInbox(database, tenant)
    const id = await storeEmail(database, tenant, { inboxId })
    await age(database, 'emails', id, { deleted_at: 8 })
  }
  // What cannot be deleted, for whatever reason.
  await database.asOwner(async trx => {
    await sql`create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'no'; end $$`.execute(trx)
    await sql`create trigger refuse before delete on emails for each row
      when (old.workspace_id = ${sql.lit(support.workspaceId)}) execute function refuse()`.execute(trx)
  })
  await purge(database)
  const purges = await readPurges(database)
  t.same(
    Object.fromEntries(purges.map(({ workspace_id, outcome, counts }) => [workspace_id, [outcome, counts]])),
    {
      [billing.workspaceId]: ['succeeded', { emails: 1 }],
      [main.workspaceId]: ['succeeded', { emails: 1 }],
      [support.workspaceId]: ['failed', null],
    },
  )
})

test('of several processes one purges at a time', {
  skip: process.env.DATABASE_URL ? false : 'needs DATABASE_URL',
}, async t => {
  const location = await createTestLocation(t)
  const [one, other] = [await openDatabase(location), await openDatabase(location)]
  t.teardown(() => Promise.all([one.close(), other.close()]))
  const { billing } = await seedTwoOrganizations(one)
  const inboxId = await insertInbox(one, billing)
  const id = await storeEmail(one, billing, { inboxId })
  await age(one, 'emails', id, { deleted_at: 8 })

  const { signal } = new AbortController()
  const run = (database: Database) => runRetention({ database, log: silent, periods: defaultPeriods, signal })
  let reached = () => {}
  const isReached = new Promise<void>(resolve => {
    reached = resolve
  })
  let goOn = () => {}
  const mayGoOn = new Promise<void>(resolve => {
    goOn = resolve
  })
  const slow: Database = {
    ...one,
    async asOwner(work) {
      reached()
      await mayGoOn
      return one.asOwner(work)
    },
  }
  const first = run(slow)
  await isReached
  await run(other)
  t.same(await readPurges(one), [], 'the second one did nothing')
  goOn()
  await first
  t.equal((await readPurges(one)).length, 1)
  await age(one, 'emails', await storeEmail(one, billing, { inboxId }), { deleted_at: 8 })
  await run(other)
  t.equal((await readPurges(one)).length, 2, 'the lock was given back')
})

test('a run that is stopped ends with its batch, and says what it did', async t => {
  const database = await openTestDatabase(t)
  const { billing } = await seedTwoOrganizations(database)
  const inboxId = await insertInbox(database, billing)
  for (let index = 0; index < 60; index++) await storeEmail(database, billing, { inboxId })
  await age(database, 'inboxes', inboxId, { deleted_at: 8 })
  const stopping = new AbortController()
  let transactions = 0
  const stopped: Database = {
    ...database,
    inTenant(tenant, work) {
      transactions += 1
      if (transactions === 2) stopping.abort()
      return database.inTenant(tenant, work)
    },
  }
  await runRetention({ database: stopped, log: silent, periods: defaultPeriods, signal: stopping.signal })
  t.match(await readPurges(database), [{ counts: { emails: 50 } }])
  await purge(database)
  t.match((await readPurges(database))[1], { counts: { emails: 10, inboxes: 1 } })
})
