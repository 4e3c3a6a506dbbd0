import type { Transaction } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { Principal } from '../identity/principal.ts'
import { roles } from '../identity/roles.ts'
import { problem } from '../problem/problem.ts'
import type { Me } from './schema.ts'

/**
 * Who is calling and what they may do where. The workspaces are read anew and not taken from the principal, which
 * is remembered for a while: whoever just created one looks for it here. Throws `unauthorized` when the account
 * was removed after the token was accepted.
 */
export async function getMe(trx: Transaction<Tables>, principal: Principal): Promise<Me> {
  const rows = await trx
    .selectFrom('users')
    .innerJoin('organizations', 'organizations.id', 'users.organization_id')
    .leftJoin('memberships', 'memberships.user_id', 'users.id')
    .leftJoin('workspaces', 'workspaces.id', 'memberships.workspace_id')
    .where('users.id', '=', principal.id)
    .where('users.organization_id', '=', principal.organizationId)
    .select([
      'users.email',
      'users.name',
      'organizations.name as organization_name',
      'memberships.role',
      'workspaces.id as workspace_id',
      'workspaces.name as workspace_name',
    ])
    .orderBy('workspaces.id')
    .execute()
  const [user] = rows
  if (!user) throw problem('unauthorized', 'The account of this access token does not exist any more.')
  return {
    id: principal.id,
    email: user.email,
    name: user.name,
    organization: { id: principal.organizationId, name: user.organization_name },
    client_id: principal.clientId,
    scopes: [...principal.scopes],
    default_workspace_id: principal.defaultWorkspaceId,
    workspaces: rows.filter(row => isVisible(principal, row.workspace_id)).flatMap(toWorkspace),
  }
}

/** An API key shows the workspace that it is for. */
function isVisible({ onlyWorkspaceId }: Principal, workspaceId: string | null): boolean {
  return onlyWorkspaceId === null || onlyWorkspaceId === workspaceId
}

/** A person without workspaces is one row without a workspace. */
function toWorkspace(row: {
  role: keyof typeof roles | null
  workspace_id: string | null
  workspace_name: string | null
}): Me['workspaces'] {
  const { role, workspace_id: id, workspace_name: name } = row
  if (role === null || id === null || name === null) return []
  return [{ id, name, role, permissions: [...roles[role]] }]
}
