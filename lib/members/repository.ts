import { sql, type Transaction } from 'kysely'
import { z } from 'zod'
import type { Tenant } from '../database/database.ts'
import type { Role, Tables } from '../database/tables.ts'
import { parseCursor } from '../paging/cursor.ts'
import { type Page, toPage } from '../paging/page.ts'
import { problem } from '../problem/problem.ts'
import { checkIfMatch } from '../versions/if-match.ts'
import { type Actor, checkAdministers } from './check-authority.ts'
import { type Member, type MembersQuery, userId } from './schema.ts'

/** One page of the workspace's people, in the order of their ids. Throws `validation_failed` for another list's cursor. */
export async function listMembers(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { limit, cursor, ...filters }: MembersQuery,
): Promise<Page<Member>> {
  const listing = { operation: 'members_list', owner: tenant.workspaceId, filters }
  let query = membersOf(trx, tenant)
  if (filters.role) query = query.where('memberships.role', '=', filters.role)
  if (cursor !== undefined) {
    const [id] = parseCursor(listing, cursor, z.tuple([userId]))
    query = query.where('users.id', '>', id)
  }
  const rows = await query
    .select(memberColumns)
    .orderBy('users.id')
    .limit(limit + 1)
    .execute()
  return toPage(rows.map(toMember), { limit, listing, position: row => [row.id] })
}

/** One of the workspace's people. Throws `not_found`. */
export async function getMember(trx: Transaction<Tables>, tenant: Tenant, id: string): Promise<Member> {
  const row = await memberById(trx, tenant, id).executeTakeFirst()
  if (!row) throw memberNotFound()
  return toMember(row)
}

/**
 * Gives a person another role in the workspace. The role that they have leaves the version as it is. Throws
 * `not_found`, `precondition_failed`, `forbidden` for whoever administers the workspace no more, or `conflict` when it
 * would be left without an admin.
 */
export async function updateMember(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { id, ifMatch, role, actor }: { id: string; ifMatch: string | undefined; role: Role; actor: Actor },
): Promise<Member> {
  await lockMembers(trx, tenant)
  const row = await readMember(trx, tenant, { id, ifMatch })
  await checkAdministers(trx, tenant, actor)
  if (row.role === role) return row
  if (row.role === 'admin') await checkOtherAdmin(trx, tenant, id)
  await trx
    .updateTable('memberships')
    .set({ role, version: row.version + 1 })
    .where('user_id', '=', id)
    .where('workspace_id', '=', tenant.workspaceId)
    .where('organization_id', '=', tenant.organizationId)
    .execute()
  return { ...row, role, version: row.version + 1 }
}

/**
 * Lets nobody else change people of the organization until the transaction ends: of two admins who demote or disable each
 * other the second waits, sees what the first has done, and is refused. Rows would not do: what is read in the statement
 * that waits for them is as old as its beginning.
 */
export async function lockMembers(
  trx: Transaction<Tables>,
  { organizationId }: Pick<Tenant, 'organizationId'>,
): Promise<void> {
  const name = JSON.stringify(['members', organizationId])
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx)
}

/** One of the workspace's people, at the version that is expected. Throws `not_found`, `precondition_failed`. */
export async function readMember(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { id, ifMatch }: { id: string; ifMatch: string | undefined },
): Promise<Member> {
  const member = await getMember(trx, tenant, id)
  checkIfMatch(ifMatch, member.version)
  return member
}

/** Throws `conflict` unless somebody else, whose account is not disabled, administers the workspace. */
export async function checkOtherAdmin(trx: Transaction<Tables>, tenant: Tenant, id: string): Promise<void> {
  const other = await membersOf(trx, tenant)
    .where('memberships.role', '=', 'admin')
    .where('users.disabled_at', 'is', null)
    .where('users.id', '!=', id)
    .select('users.id')
    .limit(1)
    .executeTakeFirst()
  if (!other) throw lastAdmin()
}

const memberColumns = [
  'users.id',
  'users.name',
  'users.email',
  'users.disabled_at',
  'memberships.role',
  'memberships.version',
] as const

function membersOf(trx: Transaction<Tables>, { organizationId, workspaceId }: Tenant) {
  return trx
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .where('memberships.workspace_id', '=', workspaceId)
    .where('memberships.organization_id', '=', organizationId)
    .where('users.organization_id', '=', organizationId)
}

function memberById(trx: Transaction<Tables>, tenant: Tenant, id: string) {
  if (!userId.safeParse(id).success) throw memberNotFound()
  return membersOf(trx, tenant).where('users.id', '=', id).select(memberColumns)
}

interface MemberRow extends Omit<Member, 'disabled'> {
  readonly disabled_at: string | null
}

function toMember({ disabled_at, ...row }: MemberRow): Member {
  return { ...row, disabled: disabled_at !== null }
}

function lastAdmin() {
  return problem('conflict', 'This is the only admin of the workspace. Make somebody else an admin first.')
}

/** One answer for ids that never existed, that are malformed or of somebody who is not in the workspace. */
function memberNotFound() {
  return problem('not_found', 'There is no such person in this workspace.')
}
