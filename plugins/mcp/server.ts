import type { FastifyInstance } from 'fastify'
import type { StateKeeper } from './confirmation/state.ts'
import type { ParsedOptions } from './options.ts'
import type { ToolRegistry } from './tools/collect.ts'
import type { ToolLists } from './tools/lists.ts'

/** One endpoint's settled state: options, registry and everything printed in advance. Frozen at ready. */
export interface Server {
  readonly fastify: FastifyInstance
  readonly options: ParsedOptions
  readonly registry: ToolRegistry
  readonly lists: ToolLists
  /** Null: no keys, so nobody can be asked. */
  readonly states: StateKeeper | null
  /** `_meta` of every 2026-07-28 result, printed. */
  readonly resultMetaJson: string
}
