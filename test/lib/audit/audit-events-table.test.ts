import { sql } from 'kysely'
import { test } from 'tap'
import { listAuditEvents } from '../../../lib/audit/list-audit-events.ts'
import { recordSystemEvent } from '../../../lib/audit/record-events.ts'
import { openTestDatabase } from '../../app/support/open-test-database.ts'
import { seedTwoOrganizations } from '../../app/support/seed-two-organizations.ts'

test('audit events under row-level security', async t => {
  const database = await openTestDatabase(t)
  const { acme, globex, billing, support, main } = await seedTwoOrganizations(database)
  for (const tenant of [billing, support, main])
    await database.inTenant(tenant, trx => recordSystemEvent(trx, tenant, { action: tenant.workspaceId }))
  for (const { id } of [acme, globex]) {
    const owner = { organizationId: id }
    await database.inOrganization(id, trx => recordSystemEvent(trx, owner, { action: id }))
  }

  await t.test('are seen by their workspace, and those without one by all of the organization', async t => {
    for (const [tenant, organization] of [
      [billing, acme],
      [support, acme],
      [main, globex],
    ] as const) {
      const rows = await database.inTenant(tenant, trx =>
        trx.selectFrom('audit_events').select('action').execute(),
      )
      t.same(rows.map(({ action }) => action).sort(), [organization.id, tenant.workspaceId].sort())
    }
    const rows = await database.inOrganization(acme.id, trx =>
      trx.selectFrom('audit_events').select('action').execute(),
    )
    t.same(rows, [{ action: acme.id }])
  })

  await t.test('are recorded in no other workspace or organization', async t => {
    for (const owner of [support, main, { organizationId: globex.id }]) {
      const record = database.inTenant(billing, trx => recordSystemEvent(trx, owner, { action: 'x' }))
      await t.rejects(record, { code: '42501' })
    }
    const across = { organizationId: acme.id, workspaceId: main.workspaceId }
    await t.rejects(
      database.asOwner(trx => recordSystemEvent(trx, across, { action: 'x' })),
      { code: '23503' },
    )
  })

  await t.test('go with their workspace and their organization', async t => {
    const owner = { organizationId: 'org_gone' }
    const own = { ...owner, workspaceId: 'wsp_gone' }
    await t.rejects(
      database.asOwner(trx => recordSystemEvent(trx, owner, { action: 'x' })),
      { code: '23503' },
      'of no organization that is not there',
    )
    await database.asOwner(async trx => {
      const values = { name: 'Gone' }
      await trx
        .insertInto('organizations')
        .values({ id: owner.organizationId, ...values })
        .execute()
      await trx
        .insertInto('workspaces')
        .values({ id: own.workspaceId, organization_id: owner.organizationId, ...values })
        .execute()
      for (const one of [owner, own]) await recordSystemEvent(trx, one, { action: 'soon gone' })
      await trx.deleteFrom('organizations').where('id', '=', owner.organizationId).execute()
      t.same(
        await trx.selectFrom('audit_events').select('id').where('action', '=', 'soon gone').execute(),
        [],
      )
    })
  })

  await t.test('stay as they are', async t => {
    for (const statement of [sql`update audit_events set action = 'x'`, sql`delete from audit_events`])
      await t.rejects(
        database.inTenant(billing, trx => statement.execute(trx)),
        { code: '42501' },
      )
  })

  await t.test('are listed for their tenant by the query alone, too', async t => {
    const page = await database.asOwner(trx => listAuditEvents(trx, support, { limit: 20 }))
    t.same(page.data.map(({ action }) => action).sort(), [acme.id, support.workspaceId].sort())
  })

  await t.test('are read from an index in their order', async t => {
    await database.asOwner(trx =>
      sql`insert into audit_events (id, organization_id, workspace_id, occurred_at, via, action, outcome, actor_id)
        select 'aud_' || n, ${acme.id}, case when n % 3 = 0 then null when n % 3 = 1 then ${billing.workspaceId}
          else ${support.workspaceId} end, timestamptz '2026-01-01 00:00Z' + n * interval '1 minute', 'rest',
          'action' || n % 50, 'succeeded', 'usr_' || n % 50
        from generate_series(1, 9000) as n`.execute(trx),
    )
    await database.pool.query('vacuum analyze audit_events')
    const explain = (where: ReturnType<typeof sql<boolean>>) =>
      database.inTenant(billing, async trx => {
        const plan = await trx
          .selectFrom('audit_events')
          .selectAll()
          .where(where)
          .orderBy('occurred_at', 'desc')
          .orderBy('id', 'desc')
          .limit(21)
          .explain('text')
        return plan.map(row => Object.values(row).join()).join('\n')
      })
    const own = sql`organization_id = ${acme.id} and workspace_id = ${billing.workspaceId}`
    const behind = sql`(occurred_at, id) < ('2026-01-05'::timestamptz, 'aud_')`
    for (const [where, index] of [
      [sql<boolean>`${own} and ${behind}`, 'audit_events_newest'],
      [sql<boolean>`${own} and actor_id = 'usr_7'`, 'audit_events_of_actor'],
      [sql<boolean>`${own} and action = 'action7'`, 'audit_events_of_action'],
      [
        sql<boolean>`organization_id = ${acme.id} and workspace_id is null and ${behind}`,
        'audit_events_of_organization',
      ],
    ] as const) {
      const plan = await explain(where)
      t.match(plan, new RegExp(`Index Scan using ${index}`))
      t.notMatch(plan, /Sort|Seq Scan/)
    }
  })
})
