import type { Transaction } from 'kysely'
import { test } from 'tap'
import * as senders from '../../../lib/allowed-senders/repository.ts'
import type { Tenant } from '../../../lib/database/database.ts'
import type { Tables } from '../../../lib/database/tables.ts'
import * as members from '../../../lib/members/repository.ts'
import { getStats } from '../../../lib/stats/get-stats.ts'
import { insertInbox } from '../support/insert-email.ts'
import { openTestDatabase } from '../support/open-test-database.ts'
import { seedTwoOrganizations } from '../support/seed-two-organizations.ts'
import { storeEmail } from './store-email.ts'

type Query = (trx: Transaction<Tables>, tenant: Tenant) => Promise<unknown>

// As the owner, without row-level security: the queries alone keep to the tenant.
test('queries on senders, members and statistics keep to their tenant by themselves', async t => {
  const database = await openTestDatabase(t)
  const { billing, support, ana, bruno, main, acme } = await seedTwoOrganizations(database)
  const id = await insertInbox(database, billing)
  await storeEmail(database, billing, { inboxId: id, receivedAt: '2026-01-01T00:00:00.000Z' })
  const target = { id, ifMatch: undefined }
  await database.inTenant(billing, trx =>
    senders.addAllowedSenders(trx, billing, { ...target, patterns: ['@a.test'] }),
  )
  const patterns = ['@b.test']
  const actor = { id: ana, onlyWorkspaceId: null }
  const queries: Record<string, Query> = {
    listAllowedSenders: (trx, tenant) => senders.listAllowedSenders(trx, tenant, { inboxId: id, limit: 20 }),
    addAllowedSenders: (trx, tenant) => senders.addAllowedSenders(trx, tenant, { ...target, patterns }),
    replaceAllowedSenders: (trx, tenant) =>
      senders.replaceAllowedSenders(trx, tenant, { ...target, patterns }),
    removeAllowedSender: (trx, tenant) =>
      senders.removeAllowedSender(trx, tenant, { ...target, pattern: '@a.test' }),
    setSenderPolicy: (trx, tenant) =>
      senders.setSenderPolicy(trx, tenant, { ...target, policy: 'allowlist' }),
    getMember: (trx, tenant) => members.getMember(trx, tenant, bruno),
    updateMember: (trx, tenant) =>
      members.updateMember(trx, tenant, { id: bruno, ifMatch: undefined, role: 'admin', actor }),
  }
  // The last: a workspace of one organization under the name of another.
  const strangers = [support, main, { organizationId: main.organizationId, workspaceId: support.workspaceId }]
  for (const stranger of strangers) {
    for (const [name, query] of Object.entries(queries))
      await t.rejects(
        database.asOwner(trx => query(trx, stranger)),
        { code: 'not_found' },
        name,
      )
    const { data } = await database.asOwner(trx => members.listMembers(trx, stranger, { limit: 20 }))
    t.notOk(data.some(member => member.id === bruno))
    const stats = await database.asOwner(trx =>
      getStats(trx, stranger, { from: '2026-01-01', to: '2026-01-01' }),
    )
    t.match(stats, { total: 0, inboxes: 0 })
  }
  const mixed = { organizationId: acme.id, workspaceId: main.workspaceId }
  t.same((await database.asOwner(trx => members.listMembers(trx, mixed, { limit: 20 }))).data, [])

  const list = await database.inTenant(billing, trx =>
    senders.listAllowedSenders(trx, billing, { inboxId: id, limit: 20 }),
  )
  t.match(list, { data: [{ pattern: '@a.test' }], version: 2 })
  t.match(await database.inTenant(billing, trx => members.getMember(trx, billing, bruno)), {
    role: 'operator',
    version: 1,
  })
})
