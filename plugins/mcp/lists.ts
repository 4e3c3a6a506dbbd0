import { parseCursor, toCursor } from './cursor.ts'
import type { Caller, Permissions } from './declarations.ts'
import { messageEnd } from './message.ts'

/** How many different sets of rights keep their printed pages; the least recently used go first. */
const keptSets = 200

/** Something that is listed to those who may use it. */
export interface Listed {
  /** What the list is sorted by, and what its cursors name. */
  readonly name: string
  readonly scopes: readonly string[]
  readonly permissions: readonly string[]
  /** The entry, printed, as 2025-06-18 and later know it. */
  readonly json: string
  /** The same for 2025-03-26, which knows less. */
  readonly json202503: string
}

export interface PageOptions {
  readonly caller: Caller
  readonly permissions: Permissions
  /** As the client sent it; undefined for the first page. */
  readonly cursor: unknown
  /** As 2025-03-26 has it. */
  readonly old: boolean
}

export interface List {
  /**
   * The members of a list result for these rights, as bytes, up to the end of the message; null for a cursor that was not
   * minted here.
   */
  page(options: PageOptions): Buffer | null
}

/** True when the token covers it. */
export function coversScopes(caller: Caller, { scopes }: Pick<Listed, 'scopes'>): boolean {
  return scopes.every(scope => caller.scopes.includes(scope))
}

/** True when the caller's token and permissions cover it; null permissions: there is no such model. */
export function isVisible(
  entry: Omit<Listed, 'name' | 'json' | 'json202503'>,
  { caller, permissions }: Rights,
): boolean {
  return (
    coversScopes(caller, entry) &&
    (permissions === null || entry.permissions.every(name => permissions.has(name)))
  )
}

export interface Rights {
  readonly caller: Caller
  readonly permissions: Permissions
}

interface Listing {
  readonly entries: readonly Listed[]
  /** Printed pages by the index they start at: bytes, so that a megabyte of text is encoded once. */
  readonly pages: Map<number, Buffer>
}

/** Prints each page of a list once per set of rights, not per request. `member` is the array's name in the result. */
export function createList(member: string, all: readonly Listed[], pageSize: number): List {
  const kept = new Map<string, Listing>()
  const names = new Set(all.map(entry => entry.name))

  function listingFor({ caller, permissions, old }: PageOptions): Listing {
    const key = `${old} ${toKey(caller.scopes)} ${permissions && toKey(permissions)}`
    const visible = () => all.filter(entry => isVisible(entry, { caller, permissions }))
    const listing = kept.get(key) ?? { entries: visible(), pages: new Map() }
    kept.delete(key)
    kept.set(key, listing)
    const [oldest] = kept.keys()
    if (kept.size > keptSets && oldest !== undefined) kept.delete(oldest)
    return listing
  }

  function print({ entries }: Listing, start: number, old: boolean): Buffer {
    const shown = entries.slice(start, start + pageSize)
    const last = start + pageSize < entries.length ? shown.at(-1) : undefined
    const next = last ? `,"nextCursor":${JSON.stringify(toCursor(last.name))}` : ''
    const printed = shown.map(entry => (old ? entry.json202503 : entry.json))
    return Buffer.from(`"${member}":[${printed.join(',')}]${next}${messageEnd}`)
  }

  function page(options: PageOptions): Buffer | null {
    const after = options.cursor === undefined ? '' : parseCursor(options.cursor)
    if (after === null || (after !== '' && !names.has(after))) return null
    const listing = listingFor(options)
    const next = listing.entries.findIndex(entry => entry.name > after)
    const start = next === -1 ? listing.entries.length : next
    const printed = listing.pages.get(start) ?? print(listing, start, options.old)
    listing.pages.set(start, printed)
    return printed
  }

  return { page }
}

const keys = new WeakMap<object, { readonly size: number; readonly key: string }>()

// The same rights in the same words, whatever their order. Remembered with the very list or set that the application
// returned, which it seldom makes anew for every request.
function toKey(words: readonly string[] | ReadonlySet<string>): string {
  const size = 'size' in words ? words.size : words.length
  const known = keys.get(words)
  if (known?.size === size) return known.key
  const key = JSON.stringify([...words].sort())
  keys.set(words, { size, key })
  return key
}
