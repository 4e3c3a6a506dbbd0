import type { Database } from '../database/database.ts'
import { permissionsAnywhere } from '../identity/permissions.ts'
import { readPerson } from '../identity/read-person.ts'

/** Who is asked to consent, and what there is for them to allow. */
export interface Consenter {
  readonly name: string
  readonly email: string
  /** By name. */
  readonly workspaces: readonly { readonly id: string; readonly name: string }[]
  /** What they may do in some workspace. */
  readonly permissions: ReadonlySet<string>
}

/** Null where there is no such person, or the account is disabled. As the owner: no tenant is known yet. */
export async function readConsenter(database: Database, userId: string): Promise<Consenter | null> {
  const person = await readPerson(database, userId)
  const user = await database.asOwner(trx =>
    trx.selectFrom('users').select(['name', 'email']).where('id', '=', userId).executeTakeFirst(),
  )
  if (!person || !user) return null
  const { memberships } = person
  const workspaces = memberships.map(({ workspaceId: id, workspaceName: name }) => ({ id, name }))
  return {
    ...user,
    workspaces: workspaces.sort((left, right) => left.name.localeCompare(right.name)),
    permissions: permissionsAnywhere({ memberships }),
  }
}
