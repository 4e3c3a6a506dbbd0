import type { Transaction } from 'kysely'
import { endAccess } from '../authorization/end-access.ts'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { endLinks } from '../people/create-link.ts'
import { type Actor, checkAdministers } from './check-authority.ts'
import { checkOtherAdmin, lockMembers, readMember } from './repository.ts'

/**
 * Takes a person out of the workspace; their API keys there end with it. The account stays, also without any workspace,
 * but then no link to it, and no login. Throws `not_found`, `precondition_failed`, `forbidden` for whoever
 * administers the workspace no more, or `conflict` when it would be left without an admin.
 */
export async function removeMember(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { id, ifMatch, actor }: { id: string; ifMatch: string | undefined; actor: Actor },
): Promise<void> {
  await lockMembers(trx, tenant)
  const member = await readMember(trx, tenant, { id, ifMatch })
  await checkAdministers(trx, tenant, actor)
  if (member.role === 'admin') await checkOtherAdmin(trx, tenant, id)
  await trx
    .deleteFrom('memberships')
    .where('user_id', '=', id)
    .where('workspace_id', '=', tenant.workspaceId)
    .where('organization_id', '=', tenant.organizationId)
    .execute()
  // Or they would work again, should the person come back.
  await trx
    .updateTable('api_keys')
    .set({ revoked_at: new Date().toISOString() })
    .where('user_id', '=', id)
    .where('workspace_id', '=', tenant.workspaceId)
    .where('revoked_at', 'is', null)
    .execute()
  if (!(await hasNoWorkspace(trx, tenant, id))) return
  await endLinks(trx, id)
  await endAccess(trx, id)
}

async function hasNoWorkspace(
  trx: Transaction<Tables>,
  { organizationId }: Tenant,
  id: string,
): Promise<boolean> {
  const left = await trx
    .selectFrom('memberships')
    .select('workspace_id')
    .where('user_id', '=', id)
    .where('organization_id', '=', organizationId)
    .limit(1)
    .executeTakeFirst()
  return left === undefined
}
