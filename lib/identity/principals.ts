import type { Database } from '../database/database.ts'
import type { Principal } from './principal.ts'
import { type Person, readPerson, readUserId } from './read-person.ts'
import { createRemembered } from './remembered.ts'
import type { TokenClaims, UserReference } from './token-claims.ts'

/** What is known of people, each remembered for a while. */
export interface Principals {
  /** The person whom a token names, or null where there is none, the account is disabled, or the consent withdrawn. */
  find(claims: TokenClaims): Promise<Principal | null>
  /** The person to whom an API key belongs, in the workspace that it is for; null as in `find`, or if they left it. */
  findKeyHolder(key: KeyClaims): Promise<Principal | null>
  /** The same person as the database has them now; null as in `find`. */
  refresh(principal: Principal): Promise<Principal | null>
  /** Drops what is remembered of a person, whose role was changed and committed: the next request asks anew. */
  forget(userId: string): void
}

/** What an API key says. */
export interface KeyClaims {
  readonly id: string
  readonly userId: string
  readonly workspaceId: string
  readonly scopes: readonly string[]
}

/** Milliseconds: a change of role or a disabled account takes effect within them, on every replica. */
const rememberedFor = 30_000

/** Whether the consent that a token stands on still holds. */
export interface GrantCheck {
  isLive(grantId: string): Promise<boolean>
}

/** @param grants needed where tokens name one, which those of the built-in authorization server do */
export function createPrincipals(database: Database, grants: GrantCheck | null = null): Principals {
  const people = createRemembered(userId => readPerson(database, userId))
  const userIds = createRemembered(email => readUserId(database, email))

  return { find, findKeyHolder, refresh, forget: people.forget }

  async function find({ user, grantId, ...claims }: TokenClaims): Promise<Principal | null> {
    if (grantId !== null && !(await grants?.isLive(grantId))) return null
    const id = await toUserId(user)
    const person = id === null ? null : await people.get(id, rememberedFor)
    if (id === null || !person) return null
    return { id, ...claims, onlyWorkspaceId: null, ...person }
  }

  async function findKeyHolder({ id: clientId, userId, workspaceId, scopes }: KeyClaims) {
    const person = limit(await people.get(userId, rememberedFor), workspaceId)
    if (!person?.memberships.length) return null
    const defaults = { defaultWorkspaceId: workspaceId, onlyWorkspaceId: workspaceId }
    return { id: userId, clientId, scopes, ...defaults, ...person }
  }

  async function refresh(principal: Principal): Promise<Principal | null> {
    // Never from memory: it is asked for where what is remembered does not suffice, such as for a workspace that
    // was created a moment ago. The caller's budget bounds how often.
    const person = limit(await people.get(principal.id, 0), principal.onlyWorkspaceId)
    return person && { ...principal, ...person }
  }

  async function toUserId(user: UserReference): Promise<string | null> {
    return 'id' in user ? user.id : userIds.get(user.email, rememberedFor)
  }
}

/** The person as they are in one workspace, where that is all that may be seen of them. */
function limit(person: Person | null, onlyWorkspaceId: string | null): Person | null {
  if (!person || onlyWorkspaceId === null) return person
  const memberships = person.memberships.filter(({ workspaceId }) => workspaceId === onlyWorkspaceId)
  return { ...person, memberships }
}
