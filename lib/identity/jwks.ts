import { createPublicKey } from 'node:crypto'
import { z } from 'zod'
import type { VerifyingKey } from './key-verifier.ts'
import type { SignatureAlgorithm } from './token-header.ts'

/** A key of a set (RFC 7517) that tokens may be signed with. */
export interface JwksKey extends VerifyingKey {
  readonly kid: string | null
}

const maximumKeys = 100

/**
 * The keys of a JSON Web Key Set that can verify tokens here. What cannot is left out, since sets serve other purposes
 * too: keys for encryption, other algorithms, symmetric and private ones, RSA below 2048 bits, and what is broken.
 * Throws where it is no set at all.
 */
export function parseJwks(body: unknown): JwksKey[] {
  return setSchema.parse(body).keys.slice(0, maximumKeys).flatMap(toKey)
}

const setSchema = z.object({ keys: z.array(z.unknown()) })

const keySchema = z.looseObject({
  kty: z.enum(['OKP', 'EC', 'RSA']),
  kid: z.string().max(500).optional(),
  use: z.literal('sig').optional(),
  key_ops: z
    .array(z.string())
    .refine(uses => uses.includes('verify'))
    .optional(),
  alg: z.string().optional(),
  // A private key has no business in a public set.
  d: z.undefined().optional(),
})

function toKey(entry: unknown): JwksKey[] {
  const parsed = keySchema.safeParse(entry)
  if (!parsed.success) return []
  const { kid, alg, kty, ...rest } = parsed.data
  const key = importKey({ ...rest, kty })
  if (!key || (alg !== undefined && alg !== key.algorithm)) return []
  return [{ ...key, kid: kid ?? null }]
}

/** The curve or length of the key itself decides, not what the set calls it. */
function importKey(jwk: { readonly kty: string; readonly [member: string]: unknown }): VerifyingKey | null {
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' })
    const { asymmetricKeyType: type, asymmetricKeyDetails: details = {} } = key
    const algorithm = toAlgorithm(type, details)
    return algorithm && { algorithm, publicKey: key.export({ type: 'spki', format: 'pem' }).toString() }
  } catch {
    return null
  }
}

function toAlgorithm(
  type: string | undefined,
  { namedCurve, modulusLength = 0 }: { namedCurve?: string; modulusLength?: number },
): SignatureAlgorithm | null {
  if (type === 'ed25519') return 'EdDSA'
  if (type === 'ec' && namedCurve === 'prime256v1') return 'ES256'
  // RFC 7518 section 3.3; the upper bound because a check costs more the longer the key is.
  if (type === 'rsa' && modulusLength >= 2048 && modulusLength <= 8192) return 'RS256'
  return null
}
