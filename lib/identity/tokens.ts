import { randomUUID } from 'node:crypto'
import { createSigner, createVerifier } from 'fast-jwt'
import { z } from 'zod'

/** What a valid access token says, RFC 9068 section 2.2. */
export interface TokenClaims {
  /** The user's id. */
  readonly sub: string
  readonly clientId: string | null
  readonly scopes: readonly string[]
  readonly defaultWorkspaceId: string | null
}

export interface VerifierOptions {
  /** The issuer's Ed25519 public key, PEM. */
  readonly publicKey: string
  readonly issuer: string
  /** The one resource for which tokens are accepted, RFC 8707. */
  readonly audience: string
  /** By how much clocks may differ, in seconds; default 0. */
  readonly clockTolerance?: number
}

/**
 * Builds the check of one audience's access tokens. The check returns the claims, or throws whatever is wrong
 * with the token; the reason is for the log and not for the caller. Verified tokens are remembered, at most
 * 5,000 of them, never beyond their expiry.
 */
export function createTokenVerifier(options: VerifierOptions): (token: string) => TokenClaims {
  const verify = createVerifier({
    key: options.publicKey,
    // Pinned: an attacker chooses the header, so "none", or HS256 keyed with the public key, must not be options.
    algorithms: ['EdDSA'],
    allowedIss: options.issuer,
    allowedAud: options.audience,
    clockTolerance: (options.clockTolerance ?? 0) * 1000,
    requiredClaims: ['iss', 'aud', 'sub', 'iat', 'exp', 'jti'],
    cache: 5000,
  })
  // The verifier hands out the same payload object while it remembers a token, so its reading is kept with it.
  const read = new WeakMap<object, TokenClaims>()

  return token => {
    const payload: object = verify(token)
    const known = read.get(payload)
    if (known) return known
    const claims = toClaims(payload)
    read.set(payload, claims)
    return claims
  }
}

export interface TokenRequest {
  /** Ed25519 private key, PKCS #8 PEM. */
  readonly privateKey: string
  readonly issuer: string
  readonly audience: string
  readonly userId: string
  readonly clientId: string
  readonly scopes: readonly string[]
  /** Seconds from now until it expires. */
  readonly lifetime: number
  readonly defaultWorkspaceId?: string
}

/** Signs an access token. For development and tests: in production tokens come from the identity provider. */
export function signToken(request: TokenRequest): string {
  const sign = createSigner({
    key: request.privateKey,
    algorithm: 'EdDSA',
    header: { alg: 'EdDSA', typ: 'at+jwt' },
    expiresIn: request.lifetime * 1000,
  })
  return sign({
    iss: request.issuer,
    aud: request.audience,
    sub: request.userId,
    client_id: request.clientId,
    scope: request.scopes.join(' '),
    jti: randomUUID(),
    ...(request.defaultWorkspaceId === undefined ? {} : { workspace_id: request.defaultWorkspaceId }),
  })
}

/** The audience of each of the two resources at a public URL. */
export function toAudiences(publicUrl: string): { readonly api: string; readonly mcp: string } {
  return { api: `${publicUrl}/api/v1`, mcp: `${publicUrl}/mcp` }
}

const payloadSchema = z.object({
  sub: z.string().min(1),
  jti: z.string().min(1),
  client_id: z.string().min(1).optional(),
  scope: z.string().default(''),
  workspace_id: z.string().min(1).optional(),
})

function toClaims(payload: object): TokenClaims {
  const claims = payloadSchema.parse(payload)
  return Object.freeze({
    sub: claims.sub,
    clientId: claims.client_id ?? null,
    scopes: Object.freeze(withImpliedScopes(claims.scope.split(' ').filter(Boolean))),
    defaultWorkspaceId: claims.workspace_id ?? null,
  })
}

/** Writing implies reading the same resource; spelled out once, so that every check is a plain lookup. */
function withImpliedScopes(scopes: string[]): string[] {
  const all = new Set(scopes)
  for (const scope of scopes) {
    if (scope.endsWith(':write')) all.add(scope.replace(/:write$/, ':read'))
  }
  return [...all].sort()
}
