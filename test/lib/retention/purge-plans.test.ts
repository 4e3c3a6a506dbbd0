import { type RawBuilder, sql } from 'kysely'
import { test } from 'tap'
import { dueTenants } from '../../../lib/retention/find-due-tenants.ts'
import { insertInbox, insertManyEmails } from '../../app/support/insert-email.ts'
import { openTestDatabase } from '../../app/support/open-test-database.ts'
import { seedTwoOrganizations } from '../../app/support/seed-two-organizations.ts'
import { age, defaultPeriods } from './support/aged-rows.ts'

test('what is past its time is found by indexes, without reading everything', async t => {
  const database = await openTestDatabase(t)
  const { billing, support, main } = await seedTwoOrganizations(database)
  for (const tenant of [billing, support, main]) {
    for (let index = 0; index < 3; index++) {
      const inboxId = await insertInbox(database, tenant)
      await insertManyEmails(database, tenant, { inboxId, count: 1_000 })
      await age(database, 'inboxes', inboxId, { retention_days: 36_000 })
    }
  }
  await database.asOwner(async trx => {
    const owner = sql`${billing.organizationId}, ${billing.workspaceId}`
    const many = sql`from generate_series(1, 3000) n`
    await sql`update emails set deleted_at = now() where right(id, 1) = '7'`.execute(trx)
    await sql`insert into operations (id, organization_id, workspace_id, kind, finished_at)
      select 'opr_' || n, ${owner}, 'x', now() ${many}`.execute(trx)
    await sql`insert into events (id, organization_id, workspace_id, type, key, data)
      select 'evt_' || n, ${owner}, 'x', n::text, '{}' ${many}`.execute(trx)
    await sql`insert into audit_events (id, organization_id, workspace_id, via, action, outcome)
      select 'aud_' || n, ${owner}, 'rest', 'x', 'succeeded' ${many}`.execute(trx)
    await sql`insert into data_erasures (id, organization_id, workspace_id, subject_kind, finished_at)
      select 'era_' || n, ${owner}, 'address', now() ${many}`.execute(trx)
  })
  await database.pool.query('vacuum analyze')

  const plan = await database.asOwner(async trx =>
    explained(await explain(dueTenants(defaultPeriods)).execute(trx)),
  )
  for (const index of [
    'emails_of_inbox',
    'emails_deleted',
    'events_by_age',
    'operations_by_age',
    'audit_events_by_age',
    'data_erasures_by_age',
  ]) {
    t.match(plan, new RegExp(`\\b${index}\\b`), plan)
  }
  t.notMatch(plan, /Seq Scan on (?!inboxes|webhooks)/, plan)
})

function explain(query: RawBuilder<unknown>): RawBuilder<object> {
  return sql<object>`explain ${query}`
}

function explained({ rows }: { rows: object[] }): string {
  return rows.map(row => Object.values(row).join()).join('\n')
}
