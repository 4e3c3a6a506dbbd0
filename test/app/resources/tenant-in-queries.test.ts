import type { Transaction } from 'kysely'
import { test } from 'tap'
import * as attachments from '../../../lib/attachments/repository.ts'
import type { Tenant } from '../../../lib/database/database.ts'
import type { Tables } from '../../../lib/database/tables.ts'
import { listEmails } from '../../../lib/emails/list-emails.ts'
import * as emails from '../../../lib/emails/repository.ts'
import { resetEmail } from '../../../lib/emails/reset-email.ts'
import { getExtraction } from '../../../lib/extractions/get-extraction.ts'
import { listExtractions } from '../../../lib/extractions/list-extractions.ts'
import * as inboxes from '../../../lib/inboxes/repository.ts'
import { upsertInbox } from '../../../lib/inboxes/upsert-inbox.ts'
import * as operations from '../../../lib/operations/repository.ts'
import { applyRules } from '../../../lib/rules/apply-rules.ts'
import * as rules from '../../../lib/rules/repository.ts'
import { testRule } from '../../../lib/rules/test-rule.ts'
import { upsertRule } from '../../../lib/rules/upsert-rule.ts'
import * as workspaces from '../../../lib/workspaces/repository.ts'
import { insertInbox } from '../support/insert-email.ts'
import { openTestDatabase } from '../support/open-test-database.ts'
import { seedTwoOrganizations } from '../support/seed-two-organizations.ts'
import { storeEmail } from './store-email.ts'
import { storeAttachment, storeExtraction } from './store-extraction.ts'
import { storeOperation } from './store-operation.ts'

type Query = (trx: Transaction<Tables>, tenant: Tenant) => Promise<unknown>

// Isolation is enforced twice. Here without row-level security, as the owner: the queries alone keep to the tenant.
test('every query keeps to its tenant by itself', async t => {
  const database = await openTestDatabase(t)
  const { billing, support, ana, leo, acme } = await seedTwoOrganizations(database)
  const inboxId = await insertInbox(database, billing)
  const id = await storeEmail(database, billing, { inboxId, text: 'x', raw: 'x' })
  const operationId = await storeOperation(database, billing, {
    emailId: id,
    createdBy: ana,
    status: 'queued',
  })
  const attachmentId = await storeAttachment(database, billing, { emailId: id })
  await storeExtraction(database, billing, { emailId: id, inboxId, kind: 'boleto', value: '1' })
  const rule = {
    key: 'k',
    name: 'n',
    conditions: [{ field: 'inbox' as const, operator: 'equals' as const, value: inboxId }],
    actions: { label: ['l'] },
  }
  const { rule: theirs } = await database.inTenant(billing, trx =>
    upsertRule(trx, billing, { rule, ifMatch: undefined }),
  )
  const inSupport = (query: Query) => database.asOwner(trx => query(trx, support))
  const ifMatch = undefined

  await t.test('those on one record do not find it', async t => {
    const queries: Record<string, Query> = {
      getEmail: (trx, tenant) => emails.getEmail(trx, tenant, { id, textOffset: 0 }),
      getEmailSource: (trx, tenant) => emails.getEmailSource(trx, tenant, id),
      lockEmail: (trx, tenant) => emails.lockEmail(trx, tenant, { id, ifMatch }),
      updateEmail: (trx, tenant) => emails.updateEmail(trx, tenant, { id, ifMatch, changes: { read: true } }),
      deleteEmail: (trx, tenant) => emails.deleteEmail(trx, tenant, { id, ifMatch }),
      getInbox: (trx, tenant) => inboxes.getInbox(trx, tenant, inboxId),
      getReceivingInbox: (trx, tenant) => inboxes.getReceivingInbox(trx, tenant, inboxId),
      updateInbox: (trx, tenant) =>
        inboxes.updateInbox(trx, tenant, { id: inboxId, ifMatch, changes: { name: 'Mine' } }),
      deleteInbox: (trx, tenant) => inboxes.deleteInbox(trx, tenant, { id: inboxId, ifMatch }),
      listAttachments: (trx, tenant) => attachments.listAttachments(trx, tenant, { emailId: id, limit: 20 }),
      getAttachment: (trx, tenant) => attachments.getAttachment(trx, tenant, attachmentId),
      getAttachmentContent: (trx, tenant) => attachments.getAttachmentContent(trx, tenant, attachmentId),
      getExtraction: (trx, tenant) => getExtraction(trx, tenant, id),
      getRule: (trx, tenant) => rules.getRule(trx, tenant, theirs.id),
      deleteRule: (trx, tenant) => rules.deleteRule(trx, tenant, { id: theirs.id, ifMatch }),
      testRule: (trx, tenant) => testRule(trx, tenant, { id: theirs.id, emailId: id }),
      getOperation: (trx, tenant) => operations.getOperation(trx, tenant, operationId),
    }
    for (const [name, query] of Object.entries(queries)) {
      await t.rejects(inSupport(query), { code: 'not_found' }, name)
    }
    const upsert: Query = (trx, tenant) => {
      const inbox = { address: `${inboxId}@inbox.test`, name: 'Mine' }
      return upsertInbox(trx, tenant, { inbox, ifMatch })
    }
    await t.rejects(inSupport(upsert), { code: 'conflict' }, 'upsertInbox')
  })

  await t.test('those on many find none', async t => {
    const page = { data: [], meta: { next_cursor: null } }
    t.same(await inSupport((trx, tenant) => listEmails(trx, tenant, { limit: 20 })), page)
    t.same(await inSupport((trx, tenant) => inboxes.listInboxes(trx, tenant, { limit: 20 })), page)
    t.same(await inSupport((trx, tenant) => operations.listOperations(trx, tenant, { limit: 20 })), page)
    t.same(await inSupport((trx, tenant) => listExtractions(trx, tenant, { limit: 20 })), page)
    t.same(await inSupport((trx, tenant) => rules.listRules(trx, tenant, { limit: 20 })), page)
    t.equal(await inSupport((trx, tenant) => rules.lockRuleByKey(trx, tenant, 'k')), undefined)
    t.equal(await inSupport((trx, tenant) => rules.countRules(trx, tenant)), 0)
    const marks = { labels: [], read: false }
    const subject = {
      fromAddress: '',
      from: '',
      subject: '',
      text: '',
      extractions: new Set(''),
      inbox: [inboxId],
    }
    const tried = { subject, found: new Map() }
    t.same(await inSupport((trx, tenant) => applyRules(trx, tenant, { emailId: id, tried, marks })), {
      marks,
      notifying: [],
    })
    t.equal(await inSupport((trx, tenant) => operations.findUnfinishedOperation(trx, tenant, id)), undefined)
  })

  await t.test('those that write without looking change nothing', async t => {
    await inSupport((trx, tenant) => resetEmail(trx, tenant, id))
    const inbox = await database.inTenant(billing, trx => inboxes.getInbox(trx, billing, inboxId))
    await inSupport((trx, tenant) =>
      inboxes.changeInbox(trx, tenant, { inbox, changes: { name: 'Mine' } }),
    ).catch(() => undefined)
    const email = await database.inTenant(billing, trx =>
      emails.getEmail(trx, billing, { id, textOffset: 0 }),
    )
    t.match(email, { status: 'processed', version: 1 })
    t.same(await database.inTenant(billing, trx => inboxes.getInbox(trx, billing, inboxId)), inbox)
  })

  await t.test('those on workspaces keep to the organization and the person', async t => {
    const stranger = { organizationId: acme.id, userId: leo }
    const other = { organizationId: 'org_x', userId: ana }
    for (const member of [stranger, other]) {
      const list = database.asOwner(trx => workspaces.listWorkspaces(trx, member, { limit: 20 }))
      t.same((await list).data, [])
      const get = database.asOwner(trx => workspaces.getWorkspace(trx, member, billing.workspaceId))
      await t.rejects(get, { code: 'not_found' })
    }
  })
})
