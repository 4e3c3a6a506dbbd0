import type { Database } from '../database/database.ts'
import type { Membership, Principal } from './principal.ts'
import type { TokenClaims } from './tokens.ts'

/** What is known of people, each remembered for a while. */
export interface Principals {
  /** The person whom a token names, or null where there is no such person, or the account is disabled. */
  find(claims: TokenClaims): Promise<Principal | null>
  /** The same person as the database has them now; null as in `find`. */
  refresh(principal: Principal): Promise<Principal | null>
  /** Drops what is remembered of a person, whose role was changed and committed: the next request asks anew. */
  forget(userId: string): void
}

interface Person {
  readonly organizationId: string
  readonly memberships: readonly Membership[]
}

interface Entry {
  readonly askedAt: number
  readonly person: Promise<Person | null>
}

/** Milliseconds: a change of role or a disabled account takes effect within them, on every replica. */
const rememberedFor = 30_000
const rememberedAtMost = 10_000

export function createPrincipals(database: Database): Principals {
  const entries = new Map<string, Entry>()

  return { find, refresh, forget: userId => void entries.delete(userId) }

  async function find(claims: TokenClaims): Promise<Principal | null> {
    const person = await look(claims.sub, rememberedFor)
    if (!person) return null
    const { clientId, scopes, defaultWorkspaceId } = claims
    return { id: claims.sub, clientId, scopes, defaultWorkspaceId, ...person }
  }

  async function refresh(principal: Principal): Promise<Principal | null> {
    // Never from memory: it is asked for where what is remembered does not suffice, such as for a workspace that
    // was created a moment ago. The caller's budget bounds how often.
    const person = await look(principal.id, 0)
    return person && { ...principal, ...person }
  }

  /** Requests that arrive while the question is under way wait for the same answer. */
  function look(userId: string, maximumAge: number): Promise<Person | null> {
    const known = entries.get(userId)
    if (known && Date.now() - known.askedAt < maximumAge) return known.person

    const entry: Entry = { askedAt: Date.now(), person: readPerson(database, userId) }
    entries.delete(userId)
    entries.set(userId, entry)
    dropOldest(entries)
    // A failed question is not an answer: the next request asks again.
    entry.person.catch(() => {
      if (entries.get(userId) === entry) entries.delete(userId)
    })
    return entry.person
  }
}

/** As the owner: who somebody is must be known before it is known for which organization to look. */
async function readPerson(database: Database, userId: string): Promise<Person | null> {
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

function dropOldest(entries: Map<string, Entry>): void {
  if (entries.size <= rememberedAtMost) return
  const oldest = entries.keys().next()
  if (!oldest.done) entries.delete(oldest.value)
}
