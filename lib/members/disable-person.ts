import { sql, type Transaction } from 'kysely'
import { endAccess } from '../authorization/end-access.ts'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { endLinks } from '../people/create-link.ts'
import { problem } from '../problem/problem.ts'
import { type Actor, checkAuthority } from './check-authority.ts'
import { getMember, lockMembers, readMember } from './repository.ts'
import type { Member } from './schema.ts'

export interface Disabling {
  readonly id: string
  readonly ifMatch: string | undefined
  readonly actor: Actor
  readonly disabled: boolean
}

/**
 * Disables a person's account in the whole organization, or enables it again; what it is already stays as it is. Its links
 * end, and so do its logins. No workspace is left without an admin by it: whoever does it administers every one of the person's. Throws
 * `not_found`, `precondition_failed`, `conflict` for one's own account, `forbidden` as `checkAuthority` does.
 */
export async function disablePerson(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { id, ifMatch, actor, disabled }: Disabling,
): Promise<Member> {
  await lockMembers(trx, tenant)
  const member = await readMember(trx, tenant, { id, ifMatch })
  if (id === actor.id) throw problem('conflict', 'This is your own account: another admin may do this.')
  await checkAuthority(trx, tenant, { actor, id })
  if (member.disabled === disabled) return member
  await trx
    .updateTable('users')
    .set({ disabled_at: disabled ? new Date().toISOString() : null })
    .where('id', '=', id)
    .where('organization_id', '=', tenant.organizationId)
    .execute()
  await endLinks(trx, id)
  await endAccess(trx, id)
  // Wherever the person is seen, it is with this.
  await trx
    .updateTable('memberships')
    .set({ version: sql<number>`version + 1` })
    .where('user_id', '=', id)
    .where('organization_id', '=', tenant.organizationId)
    .execute()
  return getMember(trx, tenant, id)
}
