import { createVerifier } from 'fast-jwt'
import { type ClaimMapping, defaultMapping, type TokenClaims, toClaims } from './token-claims.ts'
import type { SignatureAlgorithm } from './token-header.ts'

/** What a token must say to be accepted. */
export interface Expectations {
  readonly issuer: string
  /** The one resource for which tokens are accepted, RFC 8707. */
  readonly audience: string
  /** By how much clocks may differ, in seconds; default 0. */
  readonly clockTolerance?: number
  /** Claims beyond `iss`, `aud`, `sub`, `iat` and `exp` that must be there; default none. */
  readonly requiredClaims?: readonly string[]
  /** Default: RFC 9068's own names. */
  readonly mapping?: ClaimMapping
}

export interface VerifyingKey {
  /** Public, PEM. */
  readonly publicKey: string
  /** The only algorithm that it is used with: an attacker chooses what the header says. */
  readonly algorithm: SignatureAlgorithm
}

/**
 * Builds the check of the tokens that one key signs. It returns the claims, or throws whatever is wrong; the reason is
 * for the log and not for the caller. Verified tokens are remembered, at most 5,000 of them, never beyond their
 * expiry, and forgotten with the key.
 */
export function createKeyVerifier(
  { publicKey, algorithm }: VerifyingKey,
  expected: Expectations,
): (token: string) => TokenClaims {
  const { issuer, audience, requiredClaims = [], mapping = defaultMapping } = expected
  const tolerance = (expected.clockTolerance ?? 0) * 1000
  const verify = createVerifier({
    key: publicKey,
    algorithms: [algorithm],
    allowedIss: issuer,
    allowedAud: audience,
    clockTolerance: tolerance,
    requiredClaims: ['iss', 'aud', 'sub', 'iat', 'exp', ...requiredClaims],
    cache: 5000,
  })
  // The verifier hands out the same payload object while it remembers a token, so its reading is kept with it.
  const read = new WeakMap<object, TokenClaims>()

  return token => {
    const payload: object = verify(token)
    const known = read.get(payload)
    if (known) return known
    checkIssuedAt(payload, tolerance)
    const claims = toClaims(payload, mapping)
    read.set(payload, claims)
    return claims
  }
}

/** The library looks at nbf and exp only. */
function checkIssuedAt(payload: object, tolerance: number): void {
  const issued = 'iat' in payload ? Number(payload.iat) * 1000 : Number.NaN
  if (!(issued <= Date.now() + tolerance)) throw new Error('the token was issued in the future')
}
