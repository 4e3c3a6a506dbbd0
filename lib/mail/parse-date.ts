/**
 * A Date header (RFC 5322, section 3.3, obsolete forms included) as RFC 3339 in UTC, or null where there is
 * no date to be made of it. A time without a zone is taken as UTC: never as this server's.
 */
export function parseDate(value: string | null): string | null {
  const text = value?.replace(comments, ' ').trim().slice(0, 100) ?? ''
  if (!/\d{1,2}\s+[a-z]{3}[a-z]*\s+\d{2,4}|\d{4}-\d{2}-\d{2}/i.test(text)) return null
  const time = Date.parse(hasZone.test(text) ? text : `${text} +0000`)
  if (Number.isNaN(time) || time < earliest || time > latest) return null
  return new Date(time).toISOString()
}

const comments = /\([^()]*\)/g
const hasZone = /(?:[+-]\d{2}:?\d{2}|(?<![a-z])(?:Z|UTC?|GMT|[ECMP][SD]T))$/i
const earliest = Date.UTC(1970, 0, 1)
const latest = Date.UTC(9999, 11, 31)
