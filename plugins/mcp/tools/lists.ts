import { parseCursor, toCursor } from '../cursor.ts'
import type { Caller, Permissions } from '../declarations.ts'
import type { ToolRegistry } from './collect.ts'
import type { Tool } from './describe.ts'

/** How many different sets of rights keep their printed pages; the least recently used go first. */
const keptSets = 200

export interface ToolLists {
  /**
   * The members of a tools/list result for these rights, printed; null for a cursor that was not minted here.
   * `old`: as 2025-03-26 knows tools.
   */
  page(options: { caller: Caller; permissions: Permissions; cursor: unknown; old: boolean }): string | null
}

/** True when the token covers the tool. */
export function coversScopes(caller: Caller, tool: Tool): boolean {
  return tool.scopes.every(scope => caller.scopes.includes(scope))
}

interface Listing {
  readonly tools: readonly Tool[]
  /** Printed pages by the index they start at. */
  readonly pages: Map<number, string>
}

/** Prints each page of tools/list once per set of rights, not per request. */
export function createToolLists(registry: ToolRegistry, pageSize: number): ToolLists {
  const kept = new Map<string, Listing>()

  function listingFor(caller: Caller, permissions: Permissions, old: boolean): Listing {
    const key = JSON.stringify([old, toSorted(caller.scopes), permissions && toSorted(permissions)])
    const isVisible = (tool: Tool) => coversScopes(caller, tool) && isPermitted(permissions, tool)
    const listing = kept.get(key) ?? { tools: registry.tools.filter(isVisible), pages: new Map() }
    kept.delete(key)
    kept.set(key, listing)
    const [oldest] = kept.keys()
    if (kept.size > keptSets && oldest !== undefined) kept.delete(oldest)
    return listing
  }

  function print({ tools }: Listing, start: number, old: boolean): string {
    const entries = tools.slice(start, start + pageSize)
    const last = start + pageSize < tools.length ? entries.at(-1) : undefined
    const next = last ? `,"nextCursor":${JSON.stringify(toCursor(last.name))}` : ''
    return `"tools":[${entries.map(tool => (old ? tool.json202503 : tool.json)).join(',')}]${next}`
  }

  function page({ caller, permissions, cursor, old }: Parameters<ToolLists['page']>[0]): string | null {
    const after = cursor === undefined ? '' : parseCursor(cursor)
    if (after === null || (after !== '' && registry.find(after) === undefined)) return null
    const listing = listingFor(caller, permissions, old)
    const next = listing.tools.findIndex(tool => tool.name > after)
    const start = next === -1 ? listing.tools.length : next
    const printed = listing.pages.get(start) ?? print(listing, start, old)
    listing.pages.set(start, printed)
    return printed
  }

  return { page }
}

function isPermitted(permissions: Permissions, tool: Tool): boolean {
  return permissions === null || tool.permission === null || permissions.has(tool.permission)
}

function toSorted(words: Iterable<string>): readonly string[] {
  return [...words].sort()
}
