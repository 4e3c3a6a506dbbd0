import type { Database } from '../database/database.ts'
import { toAsciiDomain } from '../fields/email-address.ts'
import type { Membership } from './principal.ts'

/** A person as the database has them. */
export interface Person {
  readonly organizationId: string
  readonly memberships: readonly Membership[]
}

/**
 * The person, or null where there is no such person, or the account is disabled. As the owner: who somebody is must be
 * known before it is known for which organization to look.
 */
export async function readPerson(database: Database, userId: string): Promise<Person | null> {
  return database.asOwner(async trx => {
    const user = await trx
      .selectFrom('users')
      .select('organization_id')
      .where('id', '=', userId)
      .where('disabled_at', 'is', null)
      .executeTakeFirst()
    if (!user) return null

    const memberships = await trx
      .selectFrom('memberships')
      .innerJoin('workspaces', 'workspaces.id', 'memberships.workspace_id')
      .select([
        'workspaces.id as workspaceId',
        'workspaces.name as workspaceName',
        'memberships.role as role',
      ])
      .where('memberships.user_id', '=', userId)
      .where('memberships.organization_id', '=', user.organization_id)
      .orderBy('workspaces.id')
      .execute()
    return { organizationId: user.organization_id, memberships }
  })
}

/** The id of the user with an e-mail address in lower case, its domain in either spelling, or null; as the owner, as above. */
export async function readUserId(database: Database, email: string): Promise<string | null> {
  const user = await database.asOwner(trx =>
    trx.selectFrom('users').select('id').where('email', '=', toAsciiDomain(email)).executeTakeFirst(),
  )
  return user?.id ?? null
}
