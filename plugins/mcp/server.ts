import type { FastifyInstance } from 'fastify'
import type { StateKeeper } from './confirmation/state.ts'
import type { List } from './lists.ts'
import type { ParsedOptions } from './options.ts'
import type { Prompt } from './prompts/prompt.ts'
import type { ResourceRegistry } from './resources/registry.ts'
import type { ToolIndex } from './search/rank-tools.ts'
import type { ToolRegistry } from './tools/collect.ts'

/** One endpoint's settled state: options, registries and everything printed in advance. Frozen at ready. */
export interface Server {
  readonly fastify: FastifyInstance
  readonly options: ParsedOptions
  readonly registry: ToolRegistry
  readonly resources: ResourceRegistry
  readonly prompts: readonly Prompt[]
  readonly lists: Readonly<Record<'tools' | 'resources' | 'templates' | 'prompts', List>>
  /** Null: all tools are listed, and none is searched for. */
  readonly search: ToolIndex | null
  /** Null: no keys, so nobody can be asked. */
  readonly states: StateKeeper | null
  /** What every 2026-07-28 result ends with, printed: of a list, of anything else, and of a question. */
  readonly closings: Readonly<Record<'cacheable' | 'plain' | 'asking', string>>
}
