import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../declarations.ts'
import type { Era } from '../era.ts'
import type { Outcome } from '../outcome.ts'
import type { Server } from '../server.ts'

/** What a method sees: one request, its caller, and what was settled at boot. */
export interface MethodContext {
  readonly server: Server
  readonly era: Era
  readonly caller: Caller
  /** As sent; each method checks its own. */
  readonly params: Readonly<Record<string, unknown>>
  /** The trace that the request belongs to, as headers for what is dispatched. */
  readonly trace: Readonly<Record<string, string>>
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** One MCP method: in which eras it exists, and what it does. */
export interface Method {
  readonly eras: readonly Era['name'][]
  /** Its results in 2026-07-28 carry `ttlMs` and `cacheScope` (MCP 2026-07-28, server/utilities/caching). */
  readonly isCacheable: boolean
  /** False when nothing was registered for it: then the method does not exist. */
  isAvailable(server: Server): boolean
  run(context: MethodContext): Outcome | Promise<Outcome>
}
