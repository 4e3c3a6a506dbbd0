import type { Era } from '../era.ts'
import type { Server } from '../server.ts'
import { hasCompletions } from './completion-complete.ts'

/**
 * What the server announces, computed from what is registered: a client takes a missing key for "not there". The
 * 2025 revisions say of each list that it sends no change notifications; 2026-07-28 leaves out what is not done.
 */
export function toCapabilities(server: Server, era: Era['name']): Readonly<Record<string, object>> {
  const { registry, resources, prompts } = server
  const listed = era === 'modern' ? {} : { listChanged: false }
  const hasResources = resources.fixed.length + resources.templates.length > 0
  return {
    ...(registry.tools.length > 0 && { tools: listed }),
    ...(hasResources && { resources: era === 'modern' ? {} : { subscribe: false, ...listed } }),
    ...(prompts.length > 0 && { prompts: listed }),
    ...(hasCompletions(server) && { completions: {} }),
  }
}
