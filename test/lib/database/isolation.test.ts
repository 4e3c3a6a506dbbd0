import { sql, type Transaction } from 'kysely'
import { test } from 'tap'
import { endAccess } from '../../../lib/authorization/end-access.ts'
import type { Tables } from '../../../lib/database/tables.ts'
import { createId } from '../../../lib/id/id.ts'
import { insertApiKey } from '../../app/support/insert-api-key.ts'
import { insertDelivery } from '../../app/support/insert-delivery.ts'
import { insertEmail, insertInbox } from '../../app/support/insert-email.ts'
import { openTestDatabase } from '../../app/support/open-test-database.ts'
import { seedTwoOrganizations } from '../../app/support/seed-two-organizations.ts'

const workspaceTables = [
  'inboxes',
  'allowed_senders',
  'emails',
  'email_sources',
  'email_texts',
  'attachments',
  'attachment_contents',
  'extractions',
  'rules',
  'rule_matches',
  'operations',
  'webhooks',
  'events',
  'deliveries',
  'delivery_attempts',
  'data_erasures',
  'api_keys',
] as const

test('row-level security', async t => {
  const database = await openTestDatabase(t)
  const { acme, globex, billing, support, main, ana, leo } = await seedTwoOrganizations(database)
  const emailOf = new Map<string, string>()
  for (const tenant of [billing, support, main]) {
    const inboxId = await insertInbox(database, tenant)
    const emailId = await insertEmail(database, tenant, { inboxId })
    emailOf.set(tenant.workspaceId, emailId)
    const workspace_id = tenant.workspaceId
    const attachment_id = createId('att')
    const email_id = emailId
    await database.inTenant(tenant, async trx => {
      await trx
        .insertInto('allowed_senders')
        .values({ workspace_id, inbox_id: inboxId, pattern: '@a.test' })
        .execute()
      await trx
        .insertInto('email_sources')
        .values({ workspace_id, email_id, raw: Buffer.from('x') })
        .execute()
      await trx.insertInto('email_texts').values({ workspace_id, email_id, text: 'x' }).execute()
      await trx
        .insertInto('attachments')
        .values({
          id: attachment_id,
          workspace_id,
          email_id,
          content_type: 'text/plain',
          size_bytes: 1,
          sha256: 'a'.repeat(64),
          position: 0,
        })
        .execute()
      await trx
        .insertInto('attachment_contents')
        .values({ workspace_id, attachment_id, content: Buffer.from('x') })
        .execute()
      await trx
        .insertInto('extractions')
        .values({
          id: createId('ext'),
          workspace_id,
          email_id,
          inbox_id: inboxId,
          kind: 'cpf',
          value: 'x',
          details: '{}',
          source: 'attachment',
          attachment_id,
          found_offset: 0,
          found_length: 1,
          position: 0,
        })
        .execute()
      const rule_id = createId('rul')
      await trx
        .insertInto('rules')
        .values({
          id: rule_id,
          organization_id: tenant.organizationId,
          workspace_id,
          key: 'k',
          name: 'n',
          conditions: '[]',
          actions: '{}',
        })
        .execute()
      await trx.insertInto('rule_matches').values({ workspace_id, rule_id, email_id }).execute()
      await insertDelivery(trx, tenant)
      await insertApiKey(trx, tenant, tenant === main ? leo : ana)
      await trx
        .insertInto('data_erasures')
        .values({
          id: createId('era'),
          organization_id: tenant.organizationId,
          workspace_id,
          subject_kind: 'address',
          subject: 'a@a.test',
        })
        .execute()
      await trx
        .insertInto('operations')
        .values({
          id: createId('opr'),
          organization_id: tenant.organizationId,
          workspace_id,
          kind: 'email.process',
        })
        .execute()
    })
  }

  t.test('every table has a policy, except the record of migrations', async t => {
    const { rows } = await database.asOwner(trx =>
      sql<{ name: string }>`select relname as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relrowsecurity`.execute(
        trx,
      ),
    )
    t.strictSame(rows.map(row => row.name).sort(), ['kysely_migration', 'kysely_migration_lock'])
  })

  t.test('the application has no right on tables without a policy', async t => {
    await t.rejects(
      database.inTenant(billing, trx => sql`select * from kysely_migration`.execute(trx)),
      { code: '42501' },
    )
  })

  for (const table of workspaceTables) {
    t.test(`a query on ${table} without a where clause sees its own workspace only`, async t => {
      for (const tenant of [billing, support, main]) {
        const rows = await database.inTenant(tenant, trx =>
          trx.selectFrom(table).select('workspace_id').execute(),
        )
        t.strictSame(rows, [{ workspace_id: tenant.workspaceId }])
      }
      t.equal(
        (await database.asOwner(trx => trx.selectFrom(table).select('workspace_id').execute())).length,
        3,
      )
    })

    t.test(`${table} shows nothing to an organization's transaction`, async t => {
      t.strictSame(
        await database.inOrganization(acme.id, trx => trx.selectFrom(table).selectAll().execute()),
        [],
      )
    })

    t.test(`a row of ${table} cannot be moved into another workspace`, async t => {
      await t.rejects(
        database.inTenant(billing, trx =>
          sql`update ${sql.table(table)} set workspace_id = ${support.workspaceId}`.execute(trx),
        ),
        { code: '42501' },
      )
    })

    t.test(`rows of ${table} of another workspace cannot be changed or deleted`, async t => {
      const touched = await database.inTenant(billing, async trx => {
        const other = sql`workspace_id = ${support.workspaceId}`
        const changed =
          await sql`update ${sql.table(table)} set workspace_id = workspace_id where ${other}`.execute(trx)
        const deleted = await sql`delete from ${sql.table(table)} where ${other}`.execute(trx)
        return [changed.numAffectedRows, deleted.numAffectedRows]
      })
      t.strictSame(touched, [0n, 0n])
    })
  }

  t.test('an insert into another workspace is refused, of the same organization and of another', async t => {
    for (const other of [support, main]) {
      const row = {
        id: createId('inb'),
        organization_id: other.organizationId,
        workspace_id: other.workspaceId,
        address: 'new@inbox.test',
        name: 'New',
      }
      await t.rejects(
        database.inTenant(billing, trx => trx.insertInto('inboxes').values(row).execute()),
        { code: '42501' },
      )
    }
  })

  t.test("a row that is one's own cannot point into another workspace, not even as the owner", async t => {
    const row = {
      workspace_id: billing.workspaceId,
      email_id: emailOf.get(support.workspaceId) ?? '',
      text: 'x',
    }
    await t.rejects(
      database.inTenant(billing, trx => trx.insertInto('email_texts').values(row).execute()),
      { code: '23503' },
    )
    await t.rejects(
      database.asOwner(trx => trx.insertInto('email_texts').values(row).execute()),
      { code: '23503' },
    )
  })

  t.test('the search view shows its own workspace only', async t => {
    const rows = await database.inTenant(billing, trx => sql`select email_id from email_search`.execute(trx))
    t.strictSame(rows.rows, [{ email_id: emailOf.get(billing.workspaceId) }])
    const none = await database.inOrganization(acme.id, trx =>
      sql`select email_id from email_search`.execute(trx),
    )
    t.strictSame(none.rows, [])
  })

  t.test('an organization sees itself, its people, workspaces and memberships, and no other', async t => {
    const seen = await database.inOrganization(globex.id, async trx => ({
      organizations: await trx.selectFrom('organizations').select('id').execute(),
      users: await trx.selectFrom('users').select('email').execute(),
      workspaces: await trx.selectFrom('workspaces').select('id').execute(),
      memberships: await trx.selectFrom('memberships').select('workspace_id').execute(),
    }))
    t.strictSame(seen, {
      organizations: [{ id: globex.id }],
      users: [{ email: 'leo@globex.test' }],
      workspaces: [{ id: main.workspaceId }],
      memberships: [{ workspace_id: main.workspaceId }],
    })
  })

  t.test('a workspace cannot be made in another organization, nor a membership across', async t => {
    await t.rejects(
      database.inOrganization(acme.id, trx =>
        trx
          .insertInto('workspaces')
          .values({ id: createId('wsp'), organization_id: globex.id, name: 'W' })
          .execute(),
      ),
      { code: '42501' },
    )
    for (const organization_id of [acme.id, globex.id]) {
      const across = { user_id: ana, workspace_id: main.workspaceId, organization_id, role: 'admin' as const }
      await t.rejects(
        database.asOwner(trx => trx.insertInto('memberships').values(across).execute()),
        { code: '23503' },
      )
    }
  })

  t.test(
    'what people log in with is seen of its own organization only, and no hash by any tenant',
    async t => {
      const hash = 'a'.repeat(64)
      const expires_at = '2026-01-02T00:00:00.000Z'
      const owners = [
        { user_id: ana, organization_id: acme.id },
        { user_id: leo, organization_id: globex.id },
      ]
      await database.asOwner(async trx => {
        for (const owner of owners) {
          await trx
            .insertInto('credentials')
            .values({ ...owner, hash: 'h' })
            .execute()
          const link = {
            hash: owner === owners[0] ? hash : 'b'.repeat(64),
            purpose: 'reset' as const,
            expires_at,
          }
          await trx
            .insertInto('account_links')
            .values({ ...owner, ...link })
            .execute()
        }
      })
      for (const table of ['credentials', 'account_links'] as const) {
        const seen = await database.inTenant(billing, trx =>
          trx.selectFrom(table).select('user_id').execute(),
        )
        t.strictSame(seen, [{ user_id: ana }], table)
      }
      const forbidden = [
        sql`select hash from credentials`,
        sql`update credentials set hash = 'x'`,
        sql`delete from credentials`,
        sql`insert into credentials (user_id, organization_id, hash) values (${leo}, ${acme.id}, 'x')`,
      ]
      for (const statement of forbidden) {
        await t.rejects(
          database.inTenant(billing, trx => statement.execute(trx)),
          { code: '42501' },
        )
      }
      const foreign = { user_id: leo, organization_id: globex.id, purpose: 'reset' as const, expires_at }
      await t.rejects(
        database.inTenant(billing, trx =>
          trx
            .insertInto('account_links')
            .values({ ...foreign, hash: 'c'.repeat(64) })
            .execute(),
        ),
        { code: '42501' },
      )
      await t.rejects(
        database.asOwner(trx =>
          trx
            .insertInto('account_links')
            .values({ ...foreign, hash: 'd'.repeat(64), organization_id: acme.id })
            .execute(),
        ),
        { code: '23503' },
      )
    },
  )

  t.test(
    'what logins have led to is ended for people of the own organization, and seen of nobody',
    async t => {
      const expires_at = '2027-01-02T00:00:00.000Z'
      await database.asOwner(async trx => {
        for (const user_id of [ana, leo]) {
          const grant = { id: user_id, user_id, client_id: 'c', data: '{}', expires_at }
          await trx.insertInto('oauth_grants').values(grant).execute()
        }
      })
      for (const table of ['oauth_grants', 'oauth_records'] as const) {
        await t.rejects(
          database.inTenant(billing, trx => trx.selectFrom(table).selectAll().execute()),
          { code: '42501' },
        )
      }
      await t.rejects(
        database.inTenant(billing, trx => endAccess(trx, leo)),
        { code: '42501' },
      )
      await database.inTenant(billing, trx => endAccess(trx, ana))
      const left = await database.asOwner(trx => trx.selectFrom('oauth_grants').select('user_id').execute())
      t.strictSame(left, [{ user_id: leo }])
      await database.asOwner(trx => endAccess(trx, leo))
      t.strictSame(await database.asOwner(trx => trx.selectFrom('oauth_grants').selectAll().execute()), [])
    },
  )

  t.test('kept answers of a workspace and of its organization do not meet', async t => {
    const kept = {
      user_id: ana,
      organization_id: acme.id,
      client_id: '',
      key: 'k',
      fingerprint: 'f',
      status: 200,
      expires_at: '2026-01-02T00:00:00.000Z',
    }
    const insert = (workspace_id: string | null) => ({ ...kept, id: createId('key'), workspace_id })
    await database.inTenant(billing, trx =>
      trx.insertInto('idempotency_keys').values(insert(billing.workspaceId)).execute(),
    )
    await database.inOrganization(acme.id, trx =>
      trx.insertInto('idempotency_keys').values(insert(null)).execute(),
    )
    const seenBy = {
      billing: await database.inTenant(billing, keys),
      support: await database.inTenant(support, keys),
      acme: await database.inOrganization(acme.id, keys),
      globex: await database.inOrganization(globex.id, keys),
    }
    t.strictSame(seenBy, { billing: [billing.workspaceId], support: [], acme: [null], globex: [] })
    for (const workspace_id of [billing.workspaceId, null]) {
      await t.rejects(
        database.asOwner(trx => trx.insertInto('idempotency_keys').values(insert(workspace_id)).execute()),
        { code: '23505' },
      )
    }
  })
})

async function keys(trx: Transaction<Tables>) {
  const rows = await trx.selectFrom('idempotency_keys').select('workspace_id').execute()
  return rows.map(row => row.workspace_id)
}
