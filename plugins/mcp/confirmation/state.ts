import { createHash, randomUUID } from 'node:crypto'
import { createSigner, createVerifier, TokenError } from 'fast-jwt'
import { isObject } from '../message.ts'

/** What a state vouches for; presented for anything else, it is refused. */
export interface StateBinding {
  /** The caller's id. */
  readonly person: string
  /** The client that the token was issued to; never what the client says of itself. */
  readonly client: string | null
  /** What else the call depends on, such as the workspace; '' for nothing. */
  readonly context: string
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** What the question was about. */
export interface Confirmed {
  /** Of this one question: the `Idempotency-Key` of the call. */
  readonly id: string
  /** The `ETag` of the record that was shown; null when there was none. */
  readonly etag: string | null
}

export type StateReading =
  | { readonly kind: 'valid'; readonly confirmed: Confirmed }
  /** Ours, for this very call, but too old: the question is asked again. */
  | { readonly kind: 'expired' }
  | { readonly kind: 'refused' }

export interface StateKeeper {
  /** Signs a state for the question that is about to be asked. */
  sign(binding: StateBinding, etag: string | null): string
  read(state: unknown, binding: StateBinding): StateReading
}

export interface StateOptions {
  /** Secrets of at least 32 bytes, the same on every replica. The first signs, all verify. */
  readonly keys: readonly string[]
  /** Seconds that a state is good for. */
  readonly lifetime: number
}

/** A media type of its own: no access token is a state, and no state an access token (RFC 8725, 3.11). */
const type = 'mcp-confirmation+jwt'

/**
 * Signs and reads `requestState`, which passes through the client and is therefore an attacker's input
 * (MCP 2026-07-28, basic/patterns/mrtr, Server Requirements).
 */
export function createStateKeeper({ keys, lifetime }: StateOptions): StateKeeper {
  const [first] = keys
  if (first === undefined) throw new Error('a confirmation key is required')
  const sign = createSigner({
    key: first,
    algorithm: 'HS256',
    expiresIn: lifetime * 1_000,
    header: { alg: 'HS256', typ: type },
  })
  // Expiry is judged last, by hand: whoever presents another's state learns nothing of its age.
  const verifiers = keys.map(key =>
    createVerifier({ key, algorithms: ['HS256'], checkTyp: type, ignoreExpiration: true, cache: false }),
  )

  function verify(state: string): Record<string, unknown> | null {
    for (const verifier of verifiers) {
      try {
        const claims: unknown = verifier(state)
        return isObject(claims) ? claims : null
      } catch (error) {
        if (!(error instanceof TokenError)) throw error
      }
    }
    return null
  }

  return {
    sign: (binding, etag) => sign({ ...toClaims(binding), etag, jti: randomUUID() }),
    read(state, binding) {
      // Longer than any state signed here; not worth hashing.
      if (typeof state !== 'string' || state.length > 8_192 || !isCanonical(state)) return { kind: 'refused' }
      const claims = verify(state)
      if (claims === null) return { kind: 'refused' }
      const isForThis = Object.entries(toClaims(binding)).every(([name, value]) => claims[name] === value)
      const { jti, etag, exp } = claims
      if (!isForThis || typeof jti !== 'string' || typeof exp !== 'number') return { kind: 'refused' }
      if (etag !== null && typeof etag !== 'string') return { kind: 'refused' }
      if (exp * 1_000 <= Date.now()) return { kind: 'expired' }
      return { kind: 'valid', confirmed: { id: jti, etag } }
    },
  }
}

// The last character of a signature has bits that decode to nothing; what was signed here is accepted as it was.
function isCanonical(state: string): boolean {
  const signature = state.slice(state.lastIndexOf('.') + 1)
  return Buffer.from(signature, 'base64url').toString('base64url') === signature
}

function toClaims({
  person,
  client,
  context,
  tool,
  arguments: args,
}: StateBinding): Readonly<Record<string, string | null>> {
  const digest = createHash('sha256').update(toCanonicalJson(args)).digest('base64url')
  return { sub: person, client, context, tool, digest }
}

// The order of members and the form of numbers (1.0, 1e0) are the client's printing, not another call.
function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const members = Object.keys(value)
    .sort()
    .map(name => `${JSON.stringify(name)}:${toCanonicalJson(value[name])}`)
  return `{${members.join(',')}}`
}
