import { z } from 'zod'

/** What tokens may be signed with. Nothing symmetric: whoever could check such a token could also make one. */
export const signatureAlgorithms = ['EdDSA', 'ES256', 'RS256'] as const

export type SignatureAlgorithm = (typeof signatureAlgorithms)[number]

/** The part of a token's header that says how to verify it. It is the sender's own word. */
export interface TokenHeader {
  readonly alg: SignatureAlgorithm
  readonly kid: string | null
}

/**
 * Reads the header of a token before anything is verified. Throws for algorithms that are not accepted, for
 * extensions that must be understood (RFC 7515 section 4.1.11: none is) and for what is no access token (RFC 9068
 * section 2.1, and RFC 8725 section 3.11 on telling kinds apart).
 */
export function readTokenHeader(token: string): TokenHeader {
  const part = token.slice(0, token.indexOf('.'))
  const header: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
  const { alg, kid, crit, typ } = headerSchema.parse(header)
  if (crit !== undefined) throw new Error('the token has critical extensions')
  const type = typ?.toLowerCase().replace(/^application\//, '')
  if (type !== undefined && type !== 'jwt' && type !== 'at+jwt')
    throw new Error('the token is of another type')
  return { alg, kid: kid ?? null }
}

const headerSchema = z.object({
  alg: z.enum(signatureAlgorithms),
  kid: z.string().optional(),
  typ: z.string().optional(),
  crit: z.unknown().optional(),
})
