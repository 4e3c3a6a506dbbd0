import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'

/** The application as a route sees it: what its zod schemas say is what its handler gets and gives. */
export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>

declare module 'fastify' {
  /** What a route says of itself beyond the shapes, in the words of OpenAPI 3.1. */
  interface FastifySchema {
    /** The operation's name, and the tool's. */
    operationId?: string
    summary?: string
    description?: string
    tags?: readonly string[]
    /** Media types, where they are not JSON. */
    consumes?: readonly string[]
    produces?: readonly string[]
  }
}
