import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { problem } from '../problem/problem.ts'

/** What a cursor belongs to: a list of one tenant under certain filters. */
export interface Listing {
  /** The operation, for example `emails_list`. */
  readonly operation: string
  /** The workspace, or the person where a list is not of one workspace. */
  readonly owner: string
  /** The filters as the caller gave them. `limit` and `cursor` are none: a walk may change its stride. */
  readonly filters: Readonly<Record<string, unknown>>
}

/**
 * The cursor behind which a page begins: `position` is the sort key of the last row given. The same list at
 * the same place always has the same cursor.
 *
 * The digest ties it to its list, so that a cursor of other filters, of another workspace or one that was
 * tampered with is recognised. It is no secret and needs none: a position reaches nothing that the filters and
 * the tenant do not allow anyway, and every replica must accept what another one minted.
 */
export function toCursor(listing: Listing, position: readonly string[]): string {
  const text = position.join(SEPARATOR)
  return Buffer.concat([toDigest(listing, text), Buffer.from(text)]).toString('base64url')
}

/**
 * The position in a cursor, of the shape that `schema` has. Throws `validation_failed`, naming `cursor`, unless
 * this list minted it.
 */
export function parseCursor<Position>(
  listing: Listing,
  cursor: string,
  schema: z.ZodType<Position>,
): Position {
  const text = Buffer.from(cursor, 'base64url').subarray(DIGEST_BYTES).toString()
  const parts = text.split(SEPARATOR)
  const position = schema.safeParse(parts)
  // Minting it again also refuses the other spellings that a lenient base64 decoder takes for the same bytes.
  if (!position.success || toCursor(listing, parts) !== cursor) throw invalidCursor()
  return position.data
}

const SEPARATOR = '\n'
const DIGEST_BYTES = 12

function toDigest({ operation, owner, filters }: Listing, text: string): Buffer {
  const named = Object.entries(filters)
    .filter(([name, value]) => value !== undefined && name !== 'limit' && name !== 'cursor')
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const hash = createHash('sha256').update(JSON.stringify([operation, owner, named, text]))
  return hash.digest().subarray(0, DIGEST_BYTES)
}

function invalidCursor() {
  const message = 'must be a next_cursor of this list, with the same filters and in the same workspace'
  return problem('validation_failed', `cursor ${message}.`, {
    errors: [{ path: 'cursor', code: 'invalid_cursor', message }],
  })
}
