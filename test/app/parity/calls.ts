import type { Database, Tenant } from '../../../lib/database/database.ts'
import { createId } from '../../../lib/id/id.ts'
import { insertEmail, insertInbox } from '../support/insert-email.ts'
import type { TwoOrganizations } from '../support/seed-two-organizations.ts'
import type { Call } from './call-both.ts'
import { createPeopleCalls, createPeopleRecords, type PeopleRecords } from './calls-people.ts'
import { createWebhookCalls, createWebhookRecords, type WebhookRecords } from './calls-webhooks.ts'
import { createWorkerCalls, createWorkerRecords, type WorkerRecords } from './calls-worker.ts'

/** Records that a call may name: made anew for every call, since writing uses them up. */
export interface Records {
  readonly inboxId: string
  readonly emailId: string
  readonly workspaceId: string
  /** Of another organization. */
  readonly foreignEmailId: string
  readonly worker: WorkerRecords
  readonly people: PeopleRecords
  readonly webhooks: WebhookRecords
}

let count = 0

export async function createRecords(database: Database, people: TwoOrganizations): Promise<Records> {
  const own = await createPair(database, people.billing)
  const foreign = await createPair(database, people.main)
  const worker = await createWorkerRecords(database, people)
  const webhooks = await createWebhookRecords(database, people)
  const records = { worker, webhooks, people: await createPeopleRecords(database, people) }
  return { ...own, ...records, workspaceId: people.billing.workspaceId, foreignEmailId: foreign.emailId }
}

/** Every way in which the operations are called: what works, what is not there, and what is wrong. */
export function createCalls(records: Records): readonly Call[] {
  const { inboxId, emailId, workspaceId, foreignEmailId } = records
  const absentEmail = createId('eml')
  const name = `Name new-${++count}`
  // A name of its own for each side: what one has created, the other cannot create again.
  const forRest = { name, address: `new-${count}@rest.test` }
  const forAgent = { name, address: `new-${count}@rest.test`.replace('new-', 'new-1000') }
  return [
    { tool: 'me_get', method: 'GET', url: '/me', args: {} },
    { tool: 'workspaces_list', method: 'GET', url: '/workspaces', args: {} },
    ...byId('workspaces_get', 'GET', '/workspaces', [workspaceId, createId('wsp')]),
    { tool: 'workspaces_create', method: 'POST', url: '/workspaces', body: { name }, args: { name } },
    { tool: 'workspaces_create', method: 'POST', url: '/workspaces', body: {}, args: {} },
    ...byId('workspaces_update', 'PATCH', '/workspaces', [workspaceId, createId('wsp')], { name: 'Billing' }),
    { tool: 'inboxes_list', method: 'GET', url: '/inboxes?limit=2', args: { limit: 2 } },
    { tool: 'inboxes_list', method: 'GET', url: '/inboxes?limit=0', args: { limit: 0 } },
    ...byId('inboxes_get', 'GET', '/inboxes', [inboxId, createId('inb'), emailId, 'x']),
    { tool: 'inboxes_create', method: 'POST', url: '/inboxes', body: forRest, args: forAgent },
    {
      tool: 'inboxes_create',
      method: 'POST',
      url: '/inboxes',
      ...both({ name, address: 'no address', colour: 'red' }),
    },
    {
      tool: 'inboxes_upsert',
      method: 'PUT',
      url: '/inboxes',
      ...both({ name, address: `up-${forRest.address}` }),
    },
    { tool: 'inboxes_upsert', method: 'PUT', url: '/inboxes', ...both({ name: '' }) },
    ...byId('inboxes_update', 'PATCH', '/inboxes', [inboxId, createId('inb')], { name }),
    ...byId('inboxes_update', 'PATCH', '/inboxes', [inboxId], { status: 'asleep' }),
    ...byId('inboxes_delete', 'DELETE', '/inboxes', [createId('inb'), inboxId]),
    { tool: 'emails_list', method: 'GET', url: '/emails', args: {} },
    {
      tool: 'emails_list',
      method: 'GET',
      url: '/emails?limit=3&has_attachments=false',
      args: { limit: 3, has_attachments: false },
    },
    { tool: 'emails_list', method: 'GET', url: '/emails?status=lost', args: { status: 'lost' } },
    { tool: 'emails_list', method: 'GET', url: '/emails?colour=red', args: { colour: 'red' } },
    { tool: 'emails_list', method: 'GET', url: '/emails?cursor=forged', args: { cursor: 'forged' } },
    ...byId('emails_get', 'GET', '/emails', [emailId, absentEmail, foreignEmailId, 'a b', 'é']),
    ...byId('emails_update', 'PATCH', '/emails', [emailId, absentEmail, foreignEmailId], { read: true }),
    ...byId('emails_update', 'PATCH', '/emails', [emailId], { read: 'perhaps' }),
    ...byId(
      'emails_reprocess',
      'POST',
      '/emails',
      [absentEmail, foreignEmailId, emailId],
      undefined,
      '/reprocess',
    ),
    ...byId('emails_delete', 'DELETE', '/emails', [absentEmail, foreignEmailId, emailId]),
    { tool: 'operations_list', method: 'GET', url: '/operations?limit=1', args: { limit: 1 } },
    ...createWorkerCalls(records.worker),
    ...createPeopleCalls(records.people),
    ...createWebhookCalls(records.webhooks),
    ...byId('operations_get', 'GET', '/operations', [createId('opr'), '%2e%2e%2e']),
  ]
}

async function createPair(database: Database, tenant: Tenant) {
  const inboxId = await insertInbox(database, tenant)
  return { inboxId, emailId: await insertEmail(database, tenant, { inboxId }) }
}

function both(body: Readonly<Record<string, unknown>>) {
  return { body, args: body }
}

function byId(
  tool: string,
  method: Call['method'],
  path: string,
  ids: readonly string[],
  body?: Readonly<Record<string, unknown>>,
  suffix = '',
): readonly Call[] {
  return ids.map(id => ({
    tool,
    method,
    url: `${path}/${encodeURIComponent(id)}${suffix}`,
    args: { id, ...body },
    ...(body && { body }),
  }))
}
