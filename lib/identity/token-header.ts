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
 * section 2.1, and RFC 8725 section 3.11 on telling kinds apart). No message has anything of the token in it, as that
 * of a parser would: a password that was sent for a token is not to stand in a log.
 */
export function readTokenHeader(token: string): TokenHeader {
  const { alg, kid, crit, typ } = parseHeader(token)
  if (crit !== undefined) throw new Error('the token has critical extensions')
  const type = typ?.toLowerCase().replace(/^application\//, '')
  if (type !== undefined && type !== 'jwt' && type !== 'at+jwt')
    throw new Error('the token is of another type')
  return { alg, kid: kid ?? null }
}

function parseHeader(token: string): z.infer<typeof headerSchema> {
  const { data, error } = headerSchema.safeParse(readJson(token.slice(0, token.indexOf('.'))))
  if (data) return data
  const [member] = error.issues.flatMap(({ path }) => path)
  throw new Error(
    member === undefined
      ? 'the header of the token is no object'
      : `the ${String(member)} of the token is not accepted`,
  )
}

function readJson(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
  } catch {
    throw new Error('the token has no header that can be read')
  }
}

const headerSchema = z.object({
  alg: z.enum(signatureAlgorithms),
  kid: z.string().optional(),
  typ: z.string().optional(),
  crit: z.unknown().optional(),
})
