import type { Transaction } from 'kysely'
import type { z } from 'zod'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { createId } from '../id/id.ts'
import { problem } from '../problem/problem.ts'
import { type Actor, checkAdministers } from './check-authority.ts'
import { giveLink, type LinkDelivery } from './give-link.ts'
import { getMember, lockMembers } from './repository.ts'
import type { invitedMember, NewMember } from './schema.ts'

/**
 * Brings a person into the workspace. Somebody new gets an account and a link to set a password; somebody of the
 * organization is a member at once and needs none. Without `delivery`, where people log in at another server, nobody gets
 * one. Throws `conflict` where they are a member already, and where the address belongs to an account of another
 * organization: of that no more is said, and in a tenant's transaction no more is known. Throws `forbidden` for whoever
 * administers the workspace no more.
 */
export async function inviteMember(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { person, actor, delivery }: { person: NewMember; actor: Actor; delivery: LinkDelivery | null },
): Promise<z.infer<typeof invitedMember>> {
  await lockMembers(trx, tenant)
  await checkAdministers(trx, tenant, actor)
  const known = await findInOrganization(trx, tenant, person.email)
  const userId = known ?? (await createAccount(trx, tenant, person))
  await join(trx, tenant, { userId, role: person.role })
  const link =
    known || delivery === null
      ? { link: null, link_expires_at: null, mailed: false }
      : await giveLink(trx, tenant, { userId, createdBy: actor.id, delivery })
  return { ...(await getMember(trx, tenant, userId)), ...link }
}

async function findInOrganization(
  trx: Transaction<Tables>,
  { organizationId }: Tenant,
  email: string,
): Promise<string | undefined> {
  const user = await trx
    .selectFrom('users')
    .select('id')
    .where('email', '=', email)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  return user?.id
}

/** Whoever has the address is not looked for: that nothing was inserted tells all that may be told. */
async function createAccount(
  trx: Transaction<Tables>,
  { organizationId }: Tenant,
  { email, name }: NewMember,
): Promise<string> {
  const user = await trx
    .insertInto('users')
    .values({ id: createId('usr'), organization_id: organizationId, email, name })
    .onConflict(conflict => conflict.column('email').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!user) throw cannotInvite()
  return user.id
}

async function join(
  trx: Transaction<Tables>,
  { organizationId, workspaceId }: Tenant,
  { userId, role }: { userId: string; role: NewMember['role'] },
): Promise<void> {
  const membership = { user_id: userId, workspace_id: workspaceId, organization_id: organizationId, role }
  const inserted = await trx
    .insertInto('memberships')
    .values(membership)
    .onConflict(conflict => conflict.columns(['user_id', 'workspace_id']).doNothing())
    .returning('user_id')
    .executeTakeFirst()
  if (!inserted) throw problem('conflict', 'This person belongs to the workspace already.')
}

function cannotInvite() {
  return problem('conflict', 'This address cannot be invited. Ask the person for another one.', {
    errors: [{ path: 'email', code: 'unavailable', message: 'cannot be invited' }],
  })
}
