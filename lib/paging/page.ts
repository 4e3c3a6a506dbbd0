import { type Listing, toCursor } from './cursor.ts'

export interface Page<Item> {
  data: Item[]
  meta: { next_cursor: string | null }
}

/**
 * One page from rows that were asked for with one more than `limit`: that one only tells that there is a next
 * page. `position` gives a row's sort key.
 */
export function toPage<Item>(
  rows: readonly Item[],
  { limit, listing, position }: { limit: number; listing: Listing; position: (row: Item) => string[] },
): Page<Item> {
  const data = rows.slice(0, limit)
  const last = data.at(-1)
  const more = rows.length > limit && last !== undefined
  return { data, meta: { next_cursor: more ? toCursor(listing, position(last)) : null } }
}
