import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { z } from 'zod'

/** A private Ed25519 key as a JWK (RFC 8037), with the id that tokens name it by. */
export type PrivateJwk = z.infer<typeof privateJwkSchema>

export type PublicJwk = Omit<PrivateJwk, 'd'>

/** The keys of the built-in authorization server. */
export interface SigningKeys {
  /** All that are published, the one that signs first. */
  load(): Promise<readonly PrivateJwk[]>
}

export const privateJwkSchema = z.strictObject({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  d: z.string(),
  kid: z.string(),
  alg: z.literal('EdDSA'),
  use: z.literal('sig'),
})

export function createPrivateJwk(): PrivateJwk {
  return toJwk(generateKeyPairSync('ed25519').privateKey)
}

/** The one key of a demo, whose tokens on the command line are signed with it, too. */
export function createFixedKeys(privateKeyPem: string): SigningKeys {
  const keys = [toJwk(createPrivateKey(privateKeyPem))]
  return { load: async () => keys }
}

export function toPublicJwk({ d: _private, ...jwk }: PrivateJwk): PublicJwk {
  return jwk
}

function toJwk(key: KeyObject): PrivateJwk {
  const { kty, crv, x, d } = key.export({ format: 'jwk' })
  // RFC 7638 section 3.2, RFC 8037 appendix A.3: these members in this order.
  const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url')
  return privateJwkSchema.parse({ kty, crv, x, d, kid: thumbprint, alg: 'EdDSA', use: 'sig' })
}
