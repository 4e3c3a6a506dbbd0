import { type RawBuilder, type SqlBool, sql } from 'kysely'

const longestWord = 64
const mostWords = 20_000
const mostBytes = 500_000
const mostQueryWords = 16

/**
 * The words to look for: lower case, without accents, each at most 64 characters, no word twice. PostgreSQL's
 * own parser is not used, neither here nor there, so that text and question are always split the same way on
 * both engines: `34191.79001`, `ana@acme.test` and `São Paulo` are two words, three words and two words.
 */
export function toWords(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const words = new Set<string>()
  for (const [word] of plain.matchAll(/[\p{L}\p{N}]+/gu)) {
    words.add([...word].slice(0, longestWord).join(''))
  }
  return [...words]
}

/**
 * The value of `emails.text_search`. Bounded far below what the type can hold; of an enormous text, the first
 * words are found.
 */
export function toSearchVector(texts: readonly (string | null)[]): RawBuilder<string> {
  const words = toWords(texts.map(text => text?.slice(0, 2_000_000) ?? '').join('\n'))
  let bytes = 0
  const kept = words.slice(0, mostWords).filter(word => {
    bytes += Buffer.byteLength(word)
    return bytes <= mostBytes
  })
  return sql<string>`array_to_tsvector(${kept}::text[])`
}

/**
 * Whether a row of `emails` has every word of the question, or one that begins with it; at most 16 words
 * count. A question without any word (`"!?"`) matches nothing.
 */
export function matchesText(question: string): RawBuilder<SqlBool> {
  const words = toWords(question).slice(0, mostQueryWords)
  if (words.length === 0) return sql<SqlBool>`false`
  // Letters and digits only, so that nothing in there can end the quotes.
  const query = words.map(word => `'${word}':*`).join(' & ')
  return sql<SqlBool>`emails.id in (
    select email_id from email_search where text_search @@ ${query}::tsquery)`
}
