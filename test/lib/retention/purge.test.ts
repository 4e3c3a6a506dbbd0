import { sql } from 'kysely'
import { test } from 'tap'
import type { Database, Tenant } from '../../../lib/database/database.ts'
import { createId } from '../../../lib/id/id.ts'
import { storeEmail } from '../../app/resources/store-email.ts'
import { storeAttachment, storeExtraction } from '../../app/resources/store-extraction.ts'
import { storeOperation } from '../../app/resources/store-operation.ts'
import { insertDelivery } from '../../app/support/insert-delivery.ts'
import { insertInbox } from '../../app/support/insert-email.ts'
import { openTestDatabase } from '../../app/support/open-test-database.ts'
import { seedTwoOrganizations } from '../../app/support/seed-two-organizations.ts'
import { age, countRows, purge, readPurges } from './support/aged-rows.ts'

test('with nothing past its time nothing is removed, and nothing is recorded', async t => {
  const database = await openTestDatabase(t)
  const { billing, ana } = await seedTwoOrganizations(database)
  const inboxId = await insertInbox(database, billing)
  const emailId = await storeWhole(database, billing, inboxId)
  await storeOperation(database, billing, { emailId, createdBy: ana })
  await age(database, 'inboxes', inboxId, { retention_days: 30, deleted_at: null })
  await age(database, 'emails', emailId, { received_at: 29 })
  const before = await countRows(database)
  await purge(database)
  t.same(await countRows(database), before)
  t.same(await readPurges(database), [])
})

test('an e-mail past the time of its inbox goes with all that was made of it', async t => {
  const database = await openTestDatabase(t)
  const { billing, main, ana } = await seedTwoOrganizations(database)
  const empty = await countRows(database)
  const inboxId = await insertInbox(database, billing)
  const forGood = await insertInbox(database, main)
  await age(database, 'inboxes', inboxId, { retention_days: 30 })
  const emailId = await storeWhole(database, billing, inboxId)
  const operationId = await storeOperation(database, billing, { emailId, createdBy: ana })
  const old = await storeEmail(database, main, { inboxId: forGood, raw: 'old', text: 'old' })
  await age(database, 'emails', old, { received_at: 4_000 })
  await age(database, 'emails', emailId, { received_at: 31 })
  const whole = await countRows(database)
  for (const table of Object.keys(whole)) {
    if (table !== 'audit_events' && table !== 'data_erasures' && table !== 'allowed_senders') {
      t.ok((whole[table] ?? 0) > (empty[table] ?? 0), `${table} has a row to lose`)
    }
  }

  await purge(database)
  const left = await countRows(database)
  t.match(left, { emails: 1, email_sources: 1, email_texts: 1, inboxes: 2, operations: 1 })
  t.match(left, { attachments: 0, attachment_contents: 0, extractions: 0, rule_matches: 0, rules: 1 })
  t.match(left, { events: 0, deliveries: 0, delivery_attempts: 0, webhooks: 1 })
  const operation = await database.asOwner(trx =>
    trx.selectFrom('operations').where('id', '=', operationId).selectAll().executeTakeFirstOrThrow(),
  )
  t.match(operation, { email_id: null, resource_id: emailId }, 'what pointed to it is kept')
  t.same(await readPurges(database), [
    { workspace_id: billing.workspaceId, outcome: 'succeeded', counts: { emails: 1, bytes: 3 } },
  ])
})

test('what was deleted goes after its days, and sooner where its inbox keeps e-mails for less', async t => {
  const database = await openTestDatabase(t)
  const { billing } = await seedTwoOrganizations(database)
  const inboxId = await insertInbox(database, billing)
  const strict = await insertInbox(database, billing)
  await age(database, 'inboxes', strict, { retention_days: 2 })
  const store = async (inbox: string, days: { received_at: number; deleted_at: number }) => {
    const id = await storeEmail(database, billing, { inboxId: inbox, raw: 'x' })
    await age(database, 'emails', id, days)
    return id
  }
  await store(inboxId, { received_at: 100, deleted_at: 8 })
  await store(strict, { received_at: 3, deleted_at: 1 })
  const recent = await store(inboxId, { received_at: 100, deleted_at: 6 })
  const young = await store(strict, { received_at: 1, deleted_at: 1 })
  await purge(database)
  t.same(await remaining(database, 'emails'), [recent, young].sort())
  await purge(database, { deletedDays: 0 })
  t.same(await remaining(database, 'emails'), [])
})

test('a deleted inbox goes after its days, with its e-mails, however many', async t => {
  const database = await openTestDatabase(t)
  const { billing } = await seedTwoOrganizations(database)
  const [kept, gone] = [await insertInbox(database, billing), await insertInbox(database, billing)]
  await age(database, 'inboxes', kept, { deleted_at: 6 })
  await age(database, 'inboxes', gone, { deleted_at: 8 })
  const stays = await storeEmail(database, billing, { inboxId: kept })
  for (let index = 0; index < 120; index++) await storeEmail(database, billing, { inboxId: gone })
  await purge(database)
  t.same(await remaining(database, 'emails'), [stays])
  t.same(await remaining(database, 'inboxes'), [kept])
  t.match(await readPurges(database), [{ counts: { emails: 120, inboxes: 1 } }], 'one event for all batches')
})

test('events, finished operations and audit events go after their time, of each tenant by itself', async t => {
  const database = await openTestDatabase(t)
  const { billing, support, acme, ana } = await seedTwoOrganizations(database)
  const inboxId = await insertInbox(database, billing)
  const emailId = await storeEmail(database, billing, { inboxId })
  const finish = { emailId, createdBy: ana }
  const old = await storeOperation(database, billing, finish)
  await age(database, 'operations', old, { created_at: 91, finished_at: 91 })
  const slow = await storeOperation(database, billing, { ...finish, status: 'running' })
  await age(database, 'operations', slow, { created_at: 91 })
  await database.inTenant(support, trx => insertDelivery(trx, support))
  await database.asOwner(trx => sql`update events set created_at = now() - interval '91 days'`.execute(trx))
  const audited = async (workspaceId: string | null, days: number) => {
    const id = createId('aud')
    const row = { id, organization_id: acme.id, workspace_id: workspaceId, action: 'x' }
    const rest = { via: 'rest', outcome: 'succeeded' } as const
    await database.asOwner(trx =>
      trx
        .insertInto('audit_events')
        .values({ ...row, ...rest })
        .execute(),
    )
    await age(database, 'audit_events', id, { occurred_at: days })
    return id
  }
  const fresh = [await audited(billing.workspaceId, 364), await audited(null, 364)]
  await audited(billing.workspaceId, 366)
  await audited(null, 366)

  await purge(database)
  t.same(await remaining(database, 'operations'), [slow])
  t.match(await countRows(database), { events: 0, deliveries: 0, delivery_attempts: 0, webhooks: 1 })
  const purges = await readPurges(database)
  const byWorkspace = new Map(purges.map(({ workspace_id, counts }) => [workspace_id, counts]))
  t.same(Object.fromEntries(byWorkspace), {
    [billing.workspaceId]: { operations: 1, audit_events: 1 },
    [support.workspaceId]: { events: 1 },
    null: { audit_events: 1 },
  })
  const left = await remaining(database, 'audit_events')
  t.equal(left.length, purges.length + fresh.length)
  for (const id of fresh) t.ok(left.includes(id))
})

test('a deleted webhook goes after the time of its deliveries, with its secret', async t => {
  const database = await openTestDatabase(t)
  const { billing } = await seedTwoOrganizations(database)
  for (const days of [91, 89, null]) {
    await database.inTenant(billing, trx => insertDelivery(trx, billing))
    await database.asOwner(trx =>
      sql`update webhooks set description = coalesce(${days}::text, 'in use'), deleted_at = now() - ${days}::int * interval '1 day'
        where description is null`.execute(trx),
    )
  }
  await purge(database)
  const left = await database.asOwner(trx => trx.selectFrom('webhooks').select('description').execute())
  t.same(left.map(({ description }) => description).sort(), ['89', 'in use'])
  t.match(await readPurges(database), [{ counts: { webhooks: 1 } }])
})

/** An e-mail with a row in every table that speaks of e-mails. */
async function storeWhole(database: Database, tenant: Tenant, inboxId: string): Promise<string> {
  const emailId = await storeEmail(database, tenant, { inboxId, raw: 'raw', text: 'text' })
  await storeAttachment(database, tenant, { emailId })
  await storeExtraction(database, tenant, { emailId, inboxId, kind: 'cpf', value: '52998224725' })
  const rule_id = createId('rul')
  const owner = { organization_id: tenant.organizationId, workspace_id: tenant.workspaceId }
  await database.inTenant(tenant, async trx => {
    const rule = { ...owner, id: rule_id, key: rule_id, name: 'n', conditions: '[]', actions: '{}' }
    await trx.insertInto('rules').values(rule).execute()
    await trx
      .insertInto('rule_matches')
      .values({ workspace_id: tenant.workspaceId, rule_id, email_id: emailId })
      .execute()
    await insertDelivery(trx, tenant)
    // The event of that delivery becomes this e-mail's.
    await trx.updateTable('events').set({ email_id: emailId }).execute()
  })
  return emailId
}

async function remaining(database: Database, table: 'emails' | 'inboxes' | 'operations' | 'audit_events') {
  const rows = await database.asOwner(trx => trx.selectFrom(table).select('id').orderBy('id').execute())
  return rows.map(({ id }) => id)
}
