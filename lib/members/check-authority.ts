import type { Transaction } from 'kysely'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import type { Principal } from '../identity/principal.ts'
import { problem } from '../problem/problem.ts'

/** Who acts on somebody's account. */
export type Actor = Pick<Principal, 'id' | 'onlyWorkspaceId'>

/**
 * Throws `forbidden` unless the caller administers every workspace that the person belongs to: an account is one, and an
 * admin of one workspace gets no hold of another by it. Call it with the members locked: who was disabled or demoted a
 * moment ago has no say any more, whatever is remembered of them.
 */
export async function checkAuthority(
  trx: Transaction<Tables>,
  { organizationId }: Pick<Tenant, 'organizationId'>,
  { actor, id }: { actor: Actor; id: string },
): Promise<void> {
  const places = await trx
    .selectFrom('memberships')
    .select('workspace_id')
    .where('user_id', '=', id)
    .where('organization_id', '=', organizationId)
    .execute()
  const administered = await trx
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('memberships.workspace_id')
    .where('memberships.user_id', '=', actor.id)
    .where('memberships.organization_id', '=', organizationId)
    .where('memberships.role', '=', 'admin')
    .where('users.disabled_at', 'is', null)
    .execute()
  const own = new Set(
    administered
      .map(({ workspace_id }) => workspace_id)
      .filter(workspaceId => actor.onlyWorkspaceId === null || workspaceId === actor.onlyWorkspaceId),
  )
  if (places.every(({ workspace_id }) => own.has(workspace_id))) return
  throw problem(
    'forbidden',
    'This person also belongs to workspaces that you do not administer. An admin of all of them may do this.',
  )
}

/**
 * Throws `forbidden` unless the caller administers the workspace. To be asked with the members locked, as above: nobody
 * undoes with a request under way what another has just decided about them.
 */
export async function checkAdministers(
  trx: Transaction<Tables>,
  { organizationId, workspaceId }: Tenant,
  { id }: Pick<Actor, 'id'>,
): Promise<void> {
  const admin = await trx
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.id')
    .where('memberships.user_id', '=', id)
    .where('memberships.workspace_id', '=', workspaceId)
    .where('memberships.organization_id', '=', organizationId)
    .where('memberships.role', '=', 'admin')
    .where('users.disabled_at', 'is', null)
    .executeTakeFirst()
  if (!admin) throw problem('forbidden', 'You do not administer this workspace any more.')
}
