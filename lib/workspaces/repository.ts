import { sql, type Transaction } from 'kysely'
import { z } from 'zod'
import type { Tables } from '../database/tables.ts'
import { createId } from '../id/id.ts'
import { parseCursor } from '../paging/cursor.ts'
import { type Page, toPage } from '../paging/page.ts'
import { problem } from '../problem/problem.ts'
import { checkIfMatch } from '../versions/if-match.ts'
import { type Workspace, type WorkspacesQuery, workspaceId } from './schema.ts'

/** Whose workspaces: a person of an organization. Workspaces of theirs, not of the organization, are seen. */
export interface Member {
  readonly organizationId: string
  readonly userId: string
  /** With an API key, the one workspace that it is for; all of theirs otherwise. */
  readonly onlyWorkspaceId?: string | null
}

/** One page of the person's workspaces, newest first. Throws `validation_failed` for another list's cursor. */
export async function listWorkspaces(
  trx: Transaction<Tables>,
  member: Member,
  { limit, cursor }: WorkspacesQuery,
): Promise<Page<Workspace>> {
  const listing = { operation: 'workspaces_list', owner: member.userId, filters: {} }
  let query = workspacesOf(trx, member)
  if (cursor !== undefined) {
    const [id] = parseCursor(listing, cursor, z.tuple([workspaceId]))
    query = query.where('workspaces.id', '<', id)
  }
  const rows = await query
    .select(workspaceColumns)
    .orderBy('workspaces.id', 'desc')
    .limit(limit + 1)
    .execute()
  return toPage(rows, { limit, listing, position: row => [row.id] })
}

/** One of the person's workspaces. Throws `not_found`, also for those of others in the same organization. */
export async function getWorkspace(trx: Transaction<Tables>, member: Member, id: string): Promise<Workspace> {
  const workspace = await workspaceById(trx, member, id).executeTakeFirst()
  if (!workspace) throw workspaceNotFound()
  return workspace
}

/**
 * A new workspace, with the person as its admin: without one nobody could ever let anybody in. Throws `forbidden` with
 * an API key, which is for another workspace.
 */
export async function createWorkspace(
  trx: Transaction<Tables>,
  { organizationId, userId, onlyWorkspaceId }: Member,
  { name }: { name: string },
): Promise<Workspace> {
  if (onlyWorkspaceId) throw keyOfAnother()
  const workspace = await trx
    .insertInto('workspaces')
    .values({ id: createId('wsp'), organization_id: organizationId, name })
    .returning(['id', 'name', 'version', 'created_at', 'updated_at'])
    .executeTakeFirstOrThrow()
  await trx
    .insertInto('memberships')
    .values({
      user_id: userId,
      workspace_id: workspace.id,
      organization_id: organizationId,
      role: 'admin',
    })
    .execute()
  return { ...workspace, role: 'admin' }
}

/**
 * Renames a workspace, which takes an admin of that very workspace. A name that it already has leaves the
 * version as it is. Throws `not_found`, `forbidden`, then `precondition_failed`.
 */
export async function updateWorkspace(
  trx: Transaction<Tables>,
  member: Member,
  { id, ifMatch, name }: { id: string; ifMatch: string | undefined; name: string },
): Promise<Workspace> {
  const workspace = await workspaceById(trx, member, id)
    .forUpdate(['workspaces', 'memberships'])
    .executeTakeFirst()
  if (!workspace) throw workspaceNotFound()
  if (workspace.role !== 'admin') throw notAdmin()
  checkIfMatch(ifMatch, workspace.version)
  if (workspace.name === name) return workspace
  const updated = await trx
    .updateTable('workspaces')
    .set({ name, version: workspace.version + 1, updated_at: sql<string>`now()` })
    .where('id', '=', workspace.id)
    .where('organization_id', '=', member.organizationId)
    .returning(['version', 'updated_at'])
    .executeTakeFirstOrThrow()
  return { ...workspace, ...updated, name }
}

const workspaceColumns = [
  'workspaces.id',
  'workspaces.name',
  'memberships.role',
  'workspaces.version',
  'workspaces.created_at',
  'workspaces.updated_at',
] as const

function workspacesOf(trx: Transaction<Tables>, { organizationId, userId, onlyWorkspaceId }: Member) {
  return trx
    .selectFrom('workspaces')
    .innerJoin('memberships', 'memberships.workspace_id', 'workspaces.id')
    .where('memberships.user_id', '=', userId)
    .where('memberships.organization_id', '=', organizationId)
    .where('workspaces.organization_id', '=', organizationId)
    .$if(Boolean(onlyWorkspaceId), query => query.where('workspaces.id', '=', onlyWorkspaceId ?? ''))
}

function workspaceById(trx: Transaction<Tables>, member: Member, id: string) {
  if (!workspaceId.safeParse(id).success) throw workspaceNotFound()
  return workspacesOf(trx, member).where('workspaces.id', '=', id).select(workspaceColumns)
}

function notAdmin() {
  return problem('forbidden', 'Only an admin of this workspace may change it.')
}

function keyOfAnother() {
  return problem('forbidden', 'An API key is for one workspace and creates no other. Use an access token.')
}

/** One answer for ids that never existed, that are malformed or another's: it tells nothing. */
function workspaceNotFound() {
  return problem('not_found', 'You have no such workspace.')
}
