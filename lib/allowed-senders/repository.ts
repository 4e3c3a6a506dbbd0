import { sql, type Transaction } from 'kysely'
import { z } from 'zod'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { getInbox, type InboxTarget, lockInbox } from '../inboxes/repository.ts'
import type { Inbox } from '../inboxes/schema.ts'
import { parseCursor } from '../paging/cursor.ts'
import { type Page, toPage } from '../paging/page.ts'
import { problem } from '../problem/problem.ts'
import {
  type AllowedSender,
  type AllowedSendersQuery,
  patternsAtMost,
  type SenderPolicy,
  type SenderRules,
  storedPattern,
} from './schema.ts'

/**
 * One page of an inbox's list, by pattern, and the inbox's version, which grows when the list changes. Throws
 * `not_found`, or `validation_failed` for another list's cursor.
 */
export async function listAllowedSenders(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { inboxId, limit, cursor }: AllowedSendersQuery & { inboxId: string },
): Promise<Page<AllowedSender> & { version: number }> {
  const { version } = await getInbox(trx, tenant, inboxId)
  const listing = {
    operation: 'allowed_senders_list',
    owner: tenant.workspaceId,
    filters: { inbox_id: inboxId },
  }
  let query = sendersOf(trx, tenant, inboxId)
  if (cursor !== undefined) {
    const [pattern] = parseCursor(listing, cursor, z.tuple([storedPattern]))
    query = query.where('pattern', '>', pattern)
  }
  const rows = await query
    .select(['pattern', 'created_at'])
    .orderBy('pattern')
    .limit(limit + 1)
    .execute()
  return { ...toPage(rows, { limit, listing, position: row => [row.pattern] }), version }
}

/**
 * Adds patterns; those that are there already stay. Throws `not_found`, `precondition_failed`, or `conflict` when
 * the list would become too long.
 */
export async function addAllowedSenders(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { patterns, ...target }: InboxTarget & { patterns: readonly string[] },
): Promise<SenderRules> {
  const inbox = await lockInbox(trx, tenant, target)
  const added = await insertPatterns(trx, tenant, { inbox, patterns })
  return conclude(trx, tenant, { inbox, hasChanged: added > 0 })
}

/** Makes the list exactly this one. Throws `not_found`, then `precondition_failed`. */
export async function replaceAllowedSenders(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { patterns, ...target }: InboxTarget & { patterns: readonly string[] },
): Promise<SenderRules> {
  const inbox = await lockInbox(trx, tenant, target)
  let superfluous = trx
    .deleteFrom('allowed_senders')
    .where('workspace_id', '=', tenant.workspaceId)
    .where('inbox_id', '=', inbox.id)
  if (patterns.length > 0) superfluous = superfluous.where('pattern', 'not in', patterns)
  const { numDeletedRows } = await superfluous.executeTakeFirstOrThrow()
  const added = await insertPatterns(trx, tenant, { inbox, patterns })
  return conclude(trx, tenant, { inbox, hasChanged: numDeletedRows > 0n || added > 0 })
}

/** Removes one pattern. Throws `not_found` where inbox or pattern is not there, or `precondition_failed`. */
export async function removeAllowedSender(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { pattern, ...target }: InboxTarget & { pattern: string },
): Promise<SenderRules> {
  const inbox = await lockInbox(trx, tenant, target)
  const { numDeletedRows } = await trx
    .deleteFrom('allowed_senders')
    .where('workspace_id', '=', tenant.workspaceId)
    .where('inbox_id', '=', inbox.id)
    .where('pattern', '=', pattern)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw problem('not_found', 'The list of this inbox has no such pattern.')
  return conclude(trx, tenant, { inbox, hasChanged: true })
}

/** Decides whether the list has an effect. Throws `not_found`, then `precondition_failed`. */
export async function setSenderPolicy(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { policy, ...target }: InboxTarget & { policy: SenderPolicy },
): Promise<SenderRules> {
  const inbox = await lockInbox(trx, tenant, target)
  const hasChanged = inbox.sender_policy !== policy
  return conclude(trx, tenant, { inbox: { ...inbox, sender_policy: policy }, hasChanged })
}

function sendersOf(trx: Transaction<Tables>, tenant: Tenant, inboxId: string) {
  return trx
    .selectFrom('allowed_senders')
    .where('workspace_id', '=', tenant.workspaceId)
    .where('inbox_id', '=', inboxId)
}

/** How many of them are new. */
async function insertPatterns(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { inbox, patterns }: { inbox: Inbox; patterns: readonly string[] },
): Promise<number> {
  if (patterns.length === 0) return 0
  const rows = [...new Set(patterns)].map(pattern => ({
    workspace_id: tenant.workspaceId,
    inbox_id: inbox.id,
    pattern,
  }))
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('allowed_senders')
    .values(rows)
    .onConflict(conflict => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return Number(numInsertedOrUpdatedRows)
}

/** The inbox is locked, so that whoever changes its list does so one after the other. */
async function conclude(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { inbox, hasChanged }: { inbox: Inbox; hasChanged: boolean },
): Promise<SenderRules> {
  const { count } = await sendersOf(trx, tenant, inbox.id)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  if (count > patternsAtMost) throw tooMany(count)
  const version = hasChanged ? inbox.version + 1 : inbox.version
  if (hasChanged) {
    await trx
      .updateTable('inboxes')
      .set({ sender_policy: inbox.sender_policy, version, updated_at: sql<string>`now()` })
      .where('id', '=', inbox.id)
      .where('workspace_id', '=', tenant.workspaceId)
      .execute()
  }
  return { inbox_id: inbox.id, sender_policy: inbox.sender_policy, allowed_senders: count, version }
}

function tooMany(count: number) {
  const detail = `The list would have ${count} patterns; ${patternsAtMost} are the most. A domain stands for all of its addresses.`
  return problem('conflict', detail)
}
