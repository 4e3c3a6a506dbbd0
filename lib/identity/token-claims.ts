import { z } from 'zod'
import { withImpliedScopes } from './scopes.ts'

/** Whom a token is about: a user's id, or the e-mail address that the user has here. */
export type UserReference = { readonly id: string } | { readonly email: string }

/** What a valid access token says, RFC 9068 section 2.2. */
export interface TokenClaims {
  readonly user: UserReference
  readonly clientId: string | null
  readonly scopes: readonly string[]
  readonly defaultWorkspaceId: string | null
  /** The consent that the token stands on, which can be withdrawn; null for tokens of other servers. */
  readonly grantId: string | null
}

/** Where an issuer's tokens say what is asked of them. */
export interface ClaimMapping {
  /** The claim that names the person: `sub` holds a user's id, any other an e-mail address. Default `sub`. */
  readonly user: string
  /** The claim with the scopes: a text with blanks between, or a list. Default `scope`. */
  readonly scope: string
  /** What scopes begin with there and not here; scopes without it are not ours. Default none. */
  readonly scopePrefix: string
  /** The claim that names the consent; null, the default, where the issuer is not this server. */
  readonly grant?: string | null
}

export const defaultMapping: ClaimMapping = { user: 'sub', scope: 'scope', scopePrefix: '' }

/** The claim with which the built-in authorization server names the consent. */
export const grantClaim = 'grant_id'

/**
 * Reads the payload of a verified token. Throws where it does not say who it is about. Tokens may come from another
 * organization's server: nothing in them reaches the database that it could not hold.
 */
export function toClaims(payload: object, mapping: ClaimMapping): TokenClaims {
  const claims = payloadSchema.parse(payload)
  const byName = new Map<string, unknown>(Object.entries(payload))
  return Object.freeze({
    user: toUser(byName, claims.sub, mapping),
    // RFC 9068 calls it client_id; azp is OpenID Connect's, appid that of Entra's first version.
    clientId: claims.client_id ?? claims.azp ?? claims.appid ?? null,
    scopes: Object.freeze(withImpliedScopes(toScopes(byName, mapping))),
    defaultWorkspaceId: claims.workspace_id ?? null,
    grantId: mapping.grant ? (text(255).optional().parse(byName.get(mapping.grant)) ?? null) : null,
  })
}

/** PostgreSQL cannot hold NUL, and the others reach logs and terminals. */
const text = (maximum: number) =>
  z
    .string()
    .min(1)
    .max(maximum)
    .regex(/^[^\p{Cc}\p{Cs}]+$/u)

const payloadSchema = z.object({
  sub: text(255),
  client_id: text(2_000).optional(),
  azp: text(2_000).optional(),
  appid: text(2_000).optional(),
  workspace_id: text(255).optional(),
  iat: z.number(),
  exp: z.number(),
  nbf: z.number().optional(),
})

const emailSchema = text(320).regex(/^[^@\s]+@[^@\s]+$/)

function toUser(payload: ReadonlyMap<string, unknown>, sub: string, { user }: ClaimMapping): UserReference {
  if (user === 'sub') return { id: sub }
  // Whoever may choose an address there without proving it could choose somebody else's.
  const verified = payload.get('email_verified')
  if (verified === false || verified === 'false') throw new Error('the e-mail address is not verified')
  return { email: emailSchema.parse(payload.get(user)).toLowerCase() }
}

function toScopes(
  payload: ReadonlyMap<string, unknown>,
  { scope, scopePrefix }: ClaimMapping,
): readonly string[] {
  const value = z.union([z.string(), z.array(z.string())]).parse(payload.get(scope) ?? '')
  const named = typeof value === 'string' ? value.split(' ') : value
  return named
    .filter(name => name.length > scopePrefix.length && name.startsWith(scopePrefix))
    .map(name => name.slice(scopePrefix.length))
}
