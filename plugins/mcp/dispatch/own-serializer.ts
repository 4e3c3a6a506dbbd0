import type { FastifyReply } from 'fastify'

// Fastify keeps what `reply.serializer` was given under a symbol that it shows nobody.
const description = 'fastify.reply.serializer'
let known: symbol | undefined

/**
 * False where it is certain that this reply has no serializer of its own, so that its payload is printed by that of
 * the route. In a Fastify that keeps it elsewhere nothing is certain, and every body is read before it is believed.
 */
export function mayHaveOwnSerializer(reply: FastifyReply): boolean {
  known ??= Object.getOwnPropertySymbols(reply).find(symbol => symbol.description === description)
  return known === undefined || (reply as unknown as Record<symbol, unknown>)[known] !== null
}
