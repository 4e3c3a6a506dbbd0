import { createHash } from 'node:crypto'

export interface FingerprintParts {
  readonly method: string
  /** As it was sent, without the query. */
  readonly path: string
  readonly query: unknown
  /** JSON, or the bytes of a body that is not JSON. */
  readonly body: unknown
}

/**
 * What tells two requests apart: SHA-256 of method, path, query and body, in hexadecimal. The order of members
 * in an object makes no difference, nor does the order of query parameters.
 */
export function toFingerprint({ method, path, query, body }: FingerprintParts): string {
  const hash = createHash('sha256')
  hash.update(JSON.stringify([method, path, toCanonical(query)]))
  if (body instanceof Uint8Array) return hash.update('bytes').update(body).digest('hex')
  return hash.update(`json${JSON.stringify(toCanonical(body)) ?? ''}`).digest('hex')
}

function toCanonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toCanonical)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  // Pairs instead of an object: an object would sort its integer keys by itself and treat "__proto__" apart.
  return { members: entries.map(([key, member]) => [key, toCanonical(member)]) }
}
