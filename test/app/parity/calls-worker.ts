import type { Database } from '../../../lib/database/database.ts'
import { createId } from '../../../lib/id/id.ts'
import { upsertRule } from '../../../lib/rules/upsert-rule.ts'
import { storeAttachment, storeExtraction } from '../resources/store-extraction.ts'
import { insertEmail, insertInbox } from '../support/insert-email.ts'
import type { TwoOrganizations } from '../support/seed-two-organizations.ts'
import type { Call } from './call-both.ts'

/** What the worker leaves behind, and a rule, in Billing and in Globex' workspace. */
export interface WorkerRecords {
  readonly emailId: string
  readonly attachmentId: string
  readonly ruleId: string
  readonly foreign: Omit<WorkerRecords, 'foreign'>
}

let count = 0

export async function createWorkerRecords(
  database: Database,
  people: TwoOrganizations,
): Promise<WorkerRecords> {
  const own = await createRecordsOf(database, people.billing)
  return { ...own, foreign: await createRecordsOf(database, people.main) }
}

/** Attachments, extractions and rules. */
export function createWorkerCalls(records: WorkerRecords): readonly Call[] {
  return [...createAttachmentCalls(records), ...createExtractionCalls(records), ...createRuleCalls(records)]
}

function createAttachmentCalls({ emailId, attachmentId, foreign }: WorkerRecords): readonly Call[] {
  return [
    ...[emailId, foreign.emailId, createId('eml'), 'x'].map(
      (id): Call => ({
        tool: 'attachments_list',
        method: 'GET',
        url: `/emails/${id}/attachments`,
        args: { email_id: id },
      }),
    ),
    {
      tool: 'attachments_list',
      method: 'GET',
      url: `/emails/${emailId}/attachments?limit=0`,
      args: { email_id: emailId, limit: 0 },
    },
    ...[attachmentId, foreign.attachmentId, createId('att'), 'a b'].map(
      (id): Call => ({
        tool: 'attachments_get',
        method: 'GET',
        url: `/attachments/${encodeURIComponent(id)}`,
        args: { id },
      }),
    ),
  ]
}

function createExtractionCalls({ emailId, foreign }: WorkerRecords): readonly Call[] {
  return [
    ...[emailId, foreign.emailId, createId('eml')].map(
      (id): Call => ({
        tool: 'extractions_get',
        method: 'GET',
        url: `/emails/${id}/extraction`,
        args: { email_id: id },
      }),
    ),
    {
      tool: 'extractions_list',
      method: 'GET',
      url: `/extractions?kind=boleto&email_id=${emailId}`,
      args: { kind: 'boleto', email_id: emailId },
    },
    {
      tool: 'extractions_list',
      method: 'GET',
      url: `/extractions?email_id=${foreign.emailId}`,
      args: { email_id: foreign.emailId },
    },
    {
      tool: 'extractions_list',
      method: 'GET',
      url: '/extractions?due_after=soon',
      args: { due_after: 'soon' },
    },
  ]
}

function createRuleCalls({ emailId, ruleId, foreign }: WorkerRecords): readonly Call[] {
  const rule = { key: `new-${++count}`, ...ruleMembers }
  const absent = createId('rul')
  return [
    { tool: 'rules_list', method: 'GET', url: '/rules?limit=2', args: { limit: 2 } },
    { tool: 'rules_list', method: 'GET', url: '/rules?enabled=maybe', args: { enabled: 'maybe' } },
    ...[ruleId, foreign.ruleId, absent].map(
      (id): Call => ({ tool: 'rules_get', method: 'GET', url: `/rules/${id}`, args: { id } }),
    ),
    // The second one finds what the first has made: both say 200 from then on.
    { tool: 'rules_upsert', method: 'PUT', url: '/rules', body: rule, args: rule },
    { tool: 'rules_upsert', method: 'PUT', url: '/rules', body: { key: 'x' }, args: { key: 'x' } },
    ...[
      [ruleId, emailId],
      [ruleId, foreign.emailId],
      [foreign.ruleId, emailId],
      [absent, emailId],
    ].map(
      ([id, email_id]): Call => ({
        tool: 'rules_test',
        method: 'POST',
        url: `/rules/${id}/test`,
        body: { email_id },
        args: { id, email_id },
      }),
    ),
    ...[absent, foreign.ruleId, ruleId].map(
      (id): Call => ({ tool: 'rules_delete', method: 'DELETE', url: `/rules/${id}`, args: { id } }),
    ),
  ]
}

const ruleMembers = {
  name: 'A rule',
  conditions: [{ field: 'subject' as const, operator: 'contains' as const, value: 'invoice' }],
  actions: { label: ['invoice'] },
}

async function createRecordsOf(database: Database, tenant: TwoOrganizations['billing']) {
  const inboxId = await insertInbox(database, tenant)
  const emailId = await insertEmail(database, tenant, { inboxId })
  const attachmentId = await storeAttachment(database, tenant, { emailId })
  await storeExtraction(database, tenant, { emailId, inboxId, kind: 'boleto', value: '1' })
  const rule = { key: `key ${createId('rul')}`, ...ruleMembers, enabled: false }
  const { rule: stored } = await database.inTenant(tenant, trx =>
    upsertRule(trx, tenant, { rule, ifMatch: undefined }),
  )
  return { emailId, attachmentId, ruleId: stored.id }
}
