import type { Fail } from '../errors.ts'
import { isObject } from '../message.ts'

/**
 * The headers by which a request meets the constraints of its route, which the router decides by; null: there are none.
 * Stops the boot for what no header of known value meets: a pattern of hosts, and constraints of the application's own.
 */
export function toConstraintHeaders(
  constraints: unknown,
  fail: Fail,
): Readonly<Record<string, string>> | null {
  if (!isObject(constraints)) return null
  const headers = Object.entries(constraints).flatMap(([name, value]) => {
    if (value === undefined) return []
    const header = headerOf.get(name)
    if (header !== undefined && typeof value === 'string') return [[header, value] as const]
    return fail('MCP_ERR_ROUTE_CONSTRAINT', `Constraint: ${name}.`)
  })
  return headers.length > 0 ? Object.freeze(Object.fromEntries(headers)) : null
}

// Those that find-my-way has by itself.
const headerOf: ReadonlyMap<string, string> = new Map([
  ['version', 'accept-version'],
  ['host', 'host'],
])
