import type { Role } from './roles.ts'

/** A workspace that a person belongs to, and in which role. */
export interface Membership {
  readonly workspaceId: string
  readonly workspaceName: string
  readonly role: Role
}

/** Who makes a request: a person of an organization, through the client of an access token, or with an API key. */
export interface Principal {
  /** The user's id. */
  readonly id: string
  readonly organizationId: string
  /** The OAuth client of the token, or the id of the API key; null where a token names none. */
  readonly clientId: string | null
  /** What the token may be used for. Writing implies reading, so where one scope is listed so is the other. */
  readonly scopes: readonly string[]
  /** The workspace chosen when the token was consented to, whether or not the person still belongs to it. */
  readonly defaultWorkspaceId: string | null
  /** The one workspace that an API key is for, whatever the person's others; null for access tokens. */
  readonly onlyWorkspaceId: string | null
  /** By workspace id, ascending. */
  readonly memberships: readonly Membership[]
}
