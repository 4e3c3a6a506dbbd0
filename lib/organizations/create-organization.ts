import type { Transaction } from 'kysely'
import { recordSystemEvent } from '../audit/record-events.ts'
import type { Database } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { createId } from '../id/id.ts'
import { type CreatedLink, createLink } from '../people/create-link.ts'

export interface NewOrganization {
  readonly name: string
  /** Of the first person, as `personalAddress` has it. */
  readonly email: string
  readonly personName: string
  readonly workspaceName: string
}

/** Who has an address already. */
export interface Holder {
  readonly name: string
  readonly organizationId: string
  readonly organizationName: string
}

export type Created =
  | { readonly kind: 'created'; readonly organizationId: string; readonly link: CreatedLink }
  | { readonly kind: 'taken'; readonly holder: Holder }

/**
 * An organization with one workspace, and the person who administers it with a link to set a password; all of it, or
 * nothing where somebody has the address. As the owner: organizations are nobody's to make.
 */
export async function createOrganization(database: Database, wanted: NewOrganization): Promise<Created> {
  return database.asOwner(async trx => {
    const [organizationId, userId] = [createId('org'), createId('usr')]
    await trx.insertInto('organizations').values({ id: organizationId, name: wanted.name }).execute()
    const person = {
      id: userId,
      organization_id: organizationId,
      email: wanted.email,
      name: wanted.personName,
    }
    const inserted = await trx
      .insertInto('users')
      .values(person)
      // Somebody may take the address at this very moment: only the insert itself can tell.
      .onConflict(conflict => conflict.column('email').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!inserted) {
      await trx.deleteFrom('organizations').where('id', '=', organizationId).execute()
      return { kind: 'taken', holder: await readHolder(trx, wanted.email) }
    }
    await insertWorkspace(trx, { organizationId, userId, name: wanted.workspaceName })
    const resource = { type: 'organization', id: organizationId }
    await recordSystemEvent(trx, { organizationId }, { action: 'organization.create', resource })
    const link = await createLink(trx, { organizationId, userId, createdBy: null })
    return { kind: 'created', organizationId, link }
  })
}

async function insertWorkspace(
  trx: Transaction<Tables>,
  { organizationId, userId, name }: { organizationId: string; userId: string; name: string },
): Promise<void> {
  const workspaceId = createId('wsp')
  await trx
    .insertInto('workspaces')
    .values({ id: workspaceId, organization_id: organizationId, name })
    .execute()
  const member = { user_id: userId, workspace_id: workspaceId, organization_id: organizationId }
  await trx
    .insertInto('memberships')
    .values({ ...member, role: 'admin' })
    .execute()
}

async function readHolder(trx: Transaction<Tables>, email: string): Promise<Holder> {
  return trx
    .selectFrom('users')
    .innerJoin('organizations', 'organizations.id', 'users.organization_id')
    .select(['users.name', 'organizations.id as organizationId', 'organizations.name as organizationName'])
    .where('users.email', '=', email)
    .executeTakeFirstOrThrow()
}
