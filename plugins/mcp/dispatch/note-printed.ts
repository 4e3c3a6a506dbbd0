import type { FastifyReply } from 'fastify'

/**
 * Has the next text that the route's serializer prints for this reply noted. It is believed without being parsed when the
 * very same text is what was answered: a text that the handler sends, or an onSend hook puts in its place, may come from
 * anywhere and would be spliced into the message. Notes nothing where the reply has a serializer of its own.
 */
export function notePrinted(reply: FastifyReply, note: { printed: string | null }): void {
  if (mayHaveOwnSerializer(reply)) return
  reply.serializer(payload => {
    // Once only, and as if it had not been there: an error in an onSend hook is serialized after this.
    reply.serializer(noSerializer)
    const printed = reply.serialize(payload)
    if (typeof printed === 'string') note.printed = printed
    // Or bytes, whatever the types say: what the route's serializer gives is handed on.
    return printed as string
  })
}

// What a reply begins with, which the types of `reply.serializer` do not know.
const noSerializer = null as unknown as Parameters<FastifyReply['serializer']>[0]

// Fastify keeps what `reply.serializer` was given under a symbol that it shows nobody.
const description = 'fastify.reply.serializer'
let known: symbol | undefined

// False where that is certain. In a Fastify that keeps it elsewhere nothing is, and every body is read before it is
// believed.
function mayHaveOwnSerializer(reply: FastifyReply): boolean {
  known ??= Object.getOwnPropertySymbols(reply).find(symbol => symbol.description === description)
  return known === undefined || (reply as unknown as Record<symbol, unknown>)[known] !== null
}
