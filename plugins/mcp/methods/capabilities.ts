import type { Era } from '../era.ts'
import type { Server } from '../server.ts'

/**
 * What the server announces, computed from what is registered: a client takes a missing key for "not there". The
 * 2025 revisions say of each list that it sends no change notifications; 2026-07-28 leaves out what is not done.
 */
export function toCapabilities({ registry }: Server, era: Era['name']): Readonly<Record<string, object>> {
  const listed = era === 'modern' ? {} : { listChanged: false }
  return registry.tools.length > 0 ? { tools: listed } : {}
}
