import { sql, type Transaction } from 'kysely'
import { z } from 'zod'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { createId } from '../id/id.ts'
import { parseCursor } from '../paging/cursor.ts'
import { type Page, toPage } from '../paging/page.ts'
import { problem } from '../problem/problem.ts'
import { checkIfMatch } from '../versions/if-match.ts'
import { type Inbox, type InboxChanges, type InboxesQuery, inboxId, type NewInbox } from './schema.ts'

/** Which inbox is about to be written, and the versions that the caller expects, as `If-Match` has them. */
export interface InboxTarget {
  readonly id: string
  readonly ifMatch: string | undefined
}

/** One page of the workspace's inboxes, newest first. Throws `validation_failed` for another list's cursor. */
export async function listInboxes(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { limit, cursor, ...filters }: InboxesQuery,
): Promise<Page<Inbox>> {
  const listing = { operation: 'inboxes_list', owner: tenant.workspaceId, filters }
  let query = visibleInboxes(trx, tenant)
  if (filters.status) query = query.where('status', '=', filters.status)
  if (filters.address !== undefined) query = query.where('address', '=', filters.address)
  if (cursor !== undefined) {
    const [id] = parseCursor(listing, cursor, z.tuple([inboxId]))
    query = query.where('id', '<', id)
  }
  // Ids are UUIDv7 and sort by the time they were made, so one column is both the order and the position.
  const rows = await query
    .select(inboxColumns)
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return toPage(rows, { limit, listing, position: row => [row.id] })
}

/** One inbox. Throws `not_found`. */
export async function getInbox(trx: Transaction<Tables>, tenant: Tenant, id: string): Promise<Inbox> {
  const inbox = await inboxById(trx, tenant, id).executeTakeFirst()
  if (!inbox) throw inboxNotFound()
  return inbox
}

/**
 * The inbox that mail is about to be put into, held so that it is neither paused nor deleted before the
 * transaction ends. Others may put mail into it at the same time. Throws `not_found`, or `conflict` when it is
 * paused.
 */
export async function getReceivingInbox(
  trx: Transaction<Tables>,
  tenant: Tenant,
  id: string,
): Promise<Inbox> {
  const inbox = await inboxById(trx, tenant, id).forShare().executeTakeFirst()
  if (!inbox) throw inboxNotFound()
  if (inbox.status === 'paused') {
    throw problem('conflict', 'This inbox is paused and takes no mail until its status is active again.')
  }
  return inbox
}

/** A new inbox, which anyone may send to. Throws `conflict` when its address is in use, whoever uses it. */
export async function createInbox(trx: Transaction<Tables>, tenant: Tenant, inbox: NewInbox): Promise<Inbox> {
  const created = await insertInbox(trx, tenant, inbox)
  if (!created) throw addressTaken()
  return created
}

/** Edits an inbox. Throws `not_found`, `precondition_failed`, or `conflict` when a new address is in use. */
export async function updateInbox(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { changes, id, ifMatch }: InboxTarget & { changes: InboxChanges },
): Promise<Inbox> {
  const inbox = await lockInbox(trx, tenant, { id, ifMatch })
  return changeInbox(trx, tenant, { inbox, changes })
}

/**
 * Hides an inbox and with it its e-mails, at once and for good; its address is free again. Throws `not_found`,
 * then `precondition_failed`.
 */
export async function deleteInbox(
  trx: Transaction<Tables>,
  tenant: Tenant,
  target: InboxTarget,
): Promise<void> {
  const { id } = await lockInbox(trx, tenant, target)
  await trx
    .updateTable('inboxes')
    .set({ deleted_at: sql<string>`now()`, updated_at: sql<string>`now()` })
    .where('id', '=', id)
    .where('workspace_id', '=', tenant.workspaceId)
    .execute()
}

/**
 * The inbox, locked until the transaction ends: what is decided on it still holds when it is written. Throws
 * `not_found`, then `precondition_failed`.
 */
export async function lockInbox(
  trx: Transaction<Tables>,
  tenant: Tenant,
  target: InboxTarget,
): Promise<Inbox> {
  const inbox = await inboxById(trx, tenant, target.id).forUpdate().executeTakeFirst()
  if (!inbox) throw inboxNotFound()
  checkIfMatch(target.ifMatch, inbox.version)
  return inbox
}

/** The workspace's inbox with this address, locked until the transaction ends; undefined when it has none. */
export function lockInboxByAddress(trx: Transaction<Tables>, tenant: Tenant, address: string) {
  return visibleInboxes(trx, tenant)
    .where('address', '=', address)
    .select(inboxColumns)
    .forUpdate()
    .executeTakeFirst()
}

/** Undefined when the address is in use: a unique index over all workspaces decides, not a look beforehand. */
export function insertInbox(
  trx: Transaction<Tables>,
  tenant: Tenant,
  inbox: NewInbox,
): Promise<Inbox | undefined> {
  return trx
    .insertInto('inboxes')
    .values({
      id: createId('inb'),
      organization_id: tenant.organizationId,
      workspace_id: tenant.workspaceId,
      ...inbox,
    })
    .onConflict(conflict => conflict.column('address').where('deleted_at', 'is', null).doNothing())
    .returning(inboxColumns)
    .executeTakeFirst()
}

/**
 * Writes changes to a locked inbox. Those that change nothing leave the version as it is, so that repeating them
 * is harmless. Throws `conflict` when a new address is in use.
 */
export async function changeInbox(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { inbox, changes }: { inbox: Inbox; changes: InboxChanges },
): Promise<Inbox> {
  if (editable.every(name => changes[name] === undefined || changes[name] === inbox[name])) return inbox
  return trx
    .updateTable('inboxes')
    .set({ ...changes, version: inbox.version + 1, updated_at: sql<string>`now()` })
    .where('id', '=', inbox.id)
    .where('workspace_id', '=', tenant.workspaceId)
    .returning(inboxColumns)
    .executeTakeFirstOrThrow()
    .catch(refuseTakenAddress)
}

const inboxColumns = [
  'id',
  'address',
  'name',
  'description',
  'status',
  'sender_policy',
  'retention_days',
  'version',
  'created_at',
  'updated_at',
] as const

const editable = ['address', 'name', 'description', 'status', 'retention_days'] as const

function visibleInboxes(trx: Transaction<Tables>, tenant: Tenant) {
  return trx
    .selectFrom('inboxes')
    .where('workspace_id', '=', tenant.workspaceId)
    .where('deleted_at', 'is', null)
}

function inboxById(trx: Transaction<Tables>, tenant: Tenant, id: string) {
  if (!inboxId.safeParse(id).success) throw inboxNotFound()
  return visibleInboxes(trx, tenant).where('id', '=', id).select(inboxColumns)
}

/** SQLSTATE 23505, unique_violation: only the address is unique. */
function refuseTakenAddress(error: unknown): never {
  throw error instanceof Error && 'code' in error && error.code === '23505' ? addressTaken() : error
}

/** Row-level security hides whose it is, and so does this. */
export function addressTaken() {
  return problem('conflict', 'This address is already in use by an inbox.')
}

/** One answer for ids that never existed, that are malformed, deleted or another tenant's: it tells nothing. */
function inboxNotFound() {
  return problem('not_found', 'There is no such inbox in this workspace.')
}
