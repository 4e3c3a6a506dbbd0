import type { Database } from '../../../lib/database/database.ts'
import { createId } from '../../../lib/id/id.ts'
import { insertInbox } from '../support/insert-email.ts'
import type { TwoOrganizations } from '../support/seed-two-organizations.ts'
import type { Call } from './call-both.ts'

/** An inbox with senders on its list, a person of Billing, and the same of another organization. */
export interface PeopleRecords {
  readonly inboxId: string
  readonly memberId: string
  readonly foreign: { readonly inboxId: string; readonly memberId: string }
}

export async function createPeopleRecords(
  database: Database,
  people: TwoOrganizations,
): Promise<PeopleRecords> {
  const { workspaceId } = people.billing
  const inboxId = await insertInbox(database, people.billing)
  const rows = ['@listed.test', 'listed@acme.test'].map(pattern => ({
    workspace_id: workspaceId,
    inbox_id: inboxId,
    pattern,
  }))
  await database.inTenant(people.billing, trx => trx.insertInto('allowed_senders').values(rows).execute())
  const foreign = { inboxId: await insertInbox(database, people.main), memberId: people.leo }
  return { inboxId, memberId: people.bruno, foreign }
}

/** Allowed senders, members, the audit trail and statistics. */
export function createPeopleCalls(records: PeopleRecords): readonly Call[] {
  return [
    ...createSenderCalls(records),
    ...createMemberCalls(records),
    ...list('audit_events_list', '/audit-events', [
      { limit: 1, action: 'none' },
      { via: 'fax' },
      { actor: 'x' },
    ]),
    ...list('stats_get', '/stats', [
      { from: '2026-01-01', to: '2026-01-02' },
      { from: '2026-02-30' },
      { from: '2026-02-01', to: '2026-01-01' },
    ]),
  ]
}

function createSenderCalls({ inboxId, foreign }: PeopleRecords): readonly Call[] {
  return [inboxId, foreign.inboxId, createId('inb'), 'x'].flatMap((inbox_id): readonly Call[] => {
    const url = `/inboxes/${inbox_id}/allowed-senders`
    const write = (
      tool: string,
      method: Call['method'],
      suffix: string,
      body: Record<string, unknown>,
    ): Call => ({
      tool: `allowed_senders_${tool}`,
      method,
      url: `${url}${suffix}`,
      args: { inbox_id, ...body },
      ...(method !== 'DELETE' && { body }),
    })
    return [
      { tool: 'allowed_senders_list', method: 'GET', url, args: { inbox_id } },
      write('add', 'POST', '', { patterns: ['@new.test'] }),
      write('add', 'POST', '', { patterns: ['nobody'] }),
      write('replace', 'PUT', '', { patterns: ['@new.test', 'only@acme.test'] }),
      write('replace', 'PUT', '', {}),
      write('remove', 'DELETE', '?pattern=%40listed.test', { pattern: '@listed.test' }),
      write('set_policy', 'PUT', '/policy', { policy: 'allowlist' }),
      write('set_policy', 'PUT', '/policy', { policy: 'nobody' }),
    ]
  })
}

/** Roles that people have already: others would change what the next call may do. */
function createMemberCalls({ memberId, foreign }: PeopleRecords): readonly Call[] {
  const update = (user_id: string, body: Record<string, unknown>): Call => ({
    tool: 'members_update',
    method: 'PATCH',
    url: `/members/${user_id}`,
    args: { user_id, ...body },
    body,
  })
  return [
    ...list('members_list', '/members', [{}, { limit: 2, role: 'viewer' }, { role: 'owner' }]),
    update(memberId, { role: 'operator' }),
    update(memberId, { role: 'owner' }),
    update(foreign.memberId, { role: 'admin' }),
    update(createId('usr'), { role: 'viewer' }),
  ]
}

function list(
  tool: string,
  path: string,
  queries: readonly Record<string, string | number>[],
): readonly Call[] {
  return queries.map(args => {
    const pairs = Object.entries(args).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    return { tool, method: 'GET', url: `${path}?${pairs.join('&')}`, args }
  })
}
