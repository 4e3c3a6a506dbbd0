import { randomUUID } from 'node:crypto'
import { createSigner } from 'fast-jwt'
import { createKeyVerifier, type Expectations } from './key-verifier.ts'
import type { TokenClaims } from './token-claims.ts'
import { readTokenHeader } from './token-header.ts'

/**
 * The check of one audience's access tokens: it gives the claims, or throws (at once or in time) whatever is wrong with
 * the token. The reason is for the log and not for the caller.
 */
export type TokenVerifier = (token: string) => TokenClaims | Promise<TokenClaims>

export interface VerifierOptions extends Expectations {
  /** The issuer's Ed25519 public key, PEM. */
  readonly publicKey: string
}

/** Builds the check of tokens that a single, known key signs: the demo's own, or that of `AUTH_PUBLIC_KEY_FILE`. */
export function createTokenVerifier({
  publicKey,
  ...expected
}: VerifierOptions): (token: string) => TokenClaims {
  const verify = createKeyVerifier(
    { publicKey, algorithm: 'EdDSA' },
    { ...expected, requiredClaims: ['jti', ...(expected.requiredClaims ?? [])] },
  )
  return token => {
    readTokenHeader(token)
    return verify(token)
  }
}

export interface TokenRequest {
  readonly issuer: string
  readonly audience: string
  readonly userId: string
  readonly clientId: string
  readonly scopes: readonly string[]
  /** Seconds from now until it expires. */
  readonly lifetime: number
  readonly defaultWorkspaceId?: string
}

/**
 * Builds what signs access tokens. For development and tests: in production tokens come from the identity provider.
 *
 * @param privateKey Ed25519, PKCS #8 PEM; read once, which costs more than a signature
 */
export function createTokenSigner(privateKey: string): (request: TokenRequest) => string {
  const sign = createSigner({
    key: privateKey,
    algorithm: 'EdDSA',
    header: { alg: 'EdDSA', typ: 'at+jwt' },
  })
  return request => sign(toPayload(request))
}

function toPayload(request: TokenRequest) {
  const now = Math.floor(Date.now() / 1_000)
  return {
    iss: request.issuer,
    aud: request.audience,
    sub: request.userId,
    client_id: request.clientId,
    scope: request.scopes.join(' '),
    jti: randomUUID(),
    iat: now,
    exp: now + request.lifetime,
    ...(request.defaultWorkspaceId === undefined ? {} : { workspace_id: request.defaultWorkspaceId }),
  }
}

export { toAudiences } from './audiences.ts'
