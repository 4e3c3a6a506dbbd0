import { z } from 'zod'
import { problem } from '../problem/problem.ts'
import { toEtag } from './etag.ts'

/** The `If-Match` header of RFC 9110, section 13.1.1: `*`, or entity tags separated by commas. */
export const ifMatchHeader = z
  .string()
  .max(1000)
  .refine(isIfMatch, 'must be * or versions in double quotes, for example "3"')

/**
 * Throws `precondition_failed` unless the record's version is one that the caller named. Comparison is strong:
 * a weak tag (`W/"3"`) matches nothing. Call it with the row locked, in the transaction that writes, or two
 * callers who both name version 3 both pass.
 */
export function checkIfMatch(ifMatch: string | undefined, version: number | undefined): void {
  if (ifMatch === undefined || isMatch(ifMatch, version)) return
  throw problem(
    'precondition_failed',
    version === undefined
      ? 'There is no such record yet, so it has none of the versions in If-Match.'
      : `The record is at version ${version}, which If-Match does not name. Read it again and decide anew.`,
  )
}

const ENTITY_TAG = '(?:W\\/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"'
const IF_MATCH = new RegExp(`^(?:\\*|${ENTITY_TAG}(?:[ \\t]*,[ \\t]*${ENTITY_TAG})*)$`)

function isIfMatch(value: string): boolean {
  return IF_MATCH.test(value.trim())
}

function isMatch(ifMatch: string, version: number | undefined): boolean {
  if (version === undefined) return false
  if (ifMatch.trim() === '*') return true
  const tags: readonly string[] = ifMatch.match(new RegExp(ENTITY_TAG, 'g')) ?? []
  return tags.includes(toEtag(version))
}
