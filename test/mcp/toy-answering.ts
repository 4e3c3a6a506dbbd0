import Fastify, { type FastifyInstance, type FastifyReply, type RouteShorthandOptions } from 'fastify'
import type { Test } from 'tap'
import { type McpOptions, mcp, type RouteMcp } from '../../plugins/mcp/index.ts'
import { toyOptions } from './toy-notes.ts'

const anyObject = { type: 'object', additionalProperties: true }

export interface Answering {
  /** Runs before the plugin is registered. */
  readonly before?: (app: FastifyInstance) => void
  readonly route?: RouteShorthandOptions
  /** The schema of a 200; default: any object. */
  readonly response?: unknown
  readonly mcp?: Partial<McpOptions>
  readonly config?: RouteMcp
  readonly send: (reply: FastifyReply) => unknown
}

/** An API with one tool, `get`, that answers as it is told, and the lines of its log from warnings on. */
export async function createAnswering(
  t: Test,
  { before, route, response = anyObject, mcp: options, config, send }: Answering,
) {
  const lines: Record<string, unknown>[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const app = Fastify({ logger: { level: 'warn', stream } })
  t.teardown(() => app.close())
  before?.(app)
  await app.register(mcp, { ...toyOptions, permissions: undefined, ...options })
  const schema = { operationId: 'get', summary: 'Get', response: { 200: response } }
  app.get(
    '/get',
    { ...route, schema, config: { scopes: [], mcp: config ?? true } },
    async (_request, reply) => send(reply),
  )
  return { app, lines }
}
