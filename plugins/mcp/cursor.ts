/**
 * Cursors of the lists are the name of the last entry seen, made opaque: they hold on every replica, and across a
 * restart, without being remembered (MCP 2026-07-28, server/utilities/pagination).
 */
const mark = 'after:'

/** Prints the cursor that continues after an entry. */
export function toCursor(name: string): string {
  return Buffer.from(mark + name).toString('base64url')
}

/** Reads a cursor back: the name it continues after, or null when it was not minted here. */
export function parseCursor(cursor: unknown): string | null {
  if (typeof cursor !== 'string' || cursor.length > 1_000) return null
  const text = Buffer.from(cursor, 'base64url').toString()
  const name = text.startsWith(mark) ? text.slice(mark.length) : ''
  return name !== '' && toCursor(name) === cursor ? name : null
}
