import type { Stretch } from './offset-map.ts'

const AROUND = 40
const LONGEST = 240

/** The words around a stretch, in one line of at most 240 characters, fit for a database and a terminal. */
export function toExcerpt(text: string, { start, end }: Stretch): string {
  const from = Math.max(0, start - AROUND)
  const to = Math.min(end + AROUND, from + LONGEST)
  // A lone surrogate (a character cut in two) and NUL are refused by PostgreSQL.
  return text
    .slice(from, to)
    .replace(/\p{Cs}/gu, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
}
