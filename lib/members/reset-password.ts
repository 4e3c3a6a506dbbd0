import type { Transaction } from 'kysely'
import { endAccess } from '../authorization/end-access.ts'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { problem } from '../problem/problem.ts'
import { type Actor, checkAuthority } from './check-authority.ts'
import { giveLink, type LinkDelivery } from './give-link.ts'
import { lockMembers, readMember } from './repository.ts'
import type { PasswordReset } from './schema.ts'

/**
 * Gives a person a link to set a new password, or the first one; until they have, the one that they have holds, but
 * who is logged in has to log in again. Throws
 * `not_found`, `precondition_failed`, `forbidden` as `checkAuthority` does, and `conflict` for a disabled account, and for
 * one's own where the link would stand in the answer: whoever got hold of an access token would keep the account by it;
 * and without `delivery`, where there are no passwords.
 */
export async function resetPassword(
  trx: Transaction<Tables>,
  tenant: Tenant,
  target: { id: string; ifMatch: string | undefined; actor: Actor; delivery: LinkDelivery | null },
): Promise<PasswordReset> {
  const { id, actor, delivery } = target
  if (delivery === null)
    throw problem('conflict', 'People log in at another server: passwords are set there.')
  await lockMembers(trx, tenant)
  const member = await readMember(trx, tenant, target)
  await checkAuthority(trx, tenant, { actor, id })
  if (member.disabled) throw problem('conflict', 'The account is disabled. Enable it first.')
  if (id === actor.id && !delivery.isMailed) {
    throw problem('conflict', 'A link for your own account is only mailed. Ask another admin for one.')
  }
  // Links first, as everywhere: two who end the same in another order would wait for each other.
  const link = await giveLink(trx, tenant, { userId: id, createdBy: actor.id, delivery })
  await endAccess(trx, id)
  return { id, ...link }
}
