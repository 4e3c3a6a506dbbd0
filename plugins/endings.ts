import type { Socket } from 'node:net'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import fp from 'fastify-plugin'

/**
 * `gone`: nobody waits for the answer any more: the client has left, or a tool call has given up its route. `broken`: the
 * answer broke off on our side after it had begun, such as a stream that failed.
 */
export type Ending = 'answered' | 'gone' | 'broken'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null while the request is under way. */
    ending: Ending | null
  }

  interface FastifyInstance {
    /** Calls back once for every request, when it has ended. */
    onEnding(listener: EndingListener): void
  }
}

type EndingListener = (request: FastifyRequest, reply: FastifyReply, ending: Ending) => void

/** Every request ends once, also the one whose client leaves, of which Fastify's onResponse hooks never hear. */
export const endings = fp(
  async (app: FastifyInstance) => {
    const listeners: EndingListener[] = []
    app.decorateRequest('ending', null)
    app.decorate('onEnding', listener => void listeners.push(listener))

    const end = (request: FastifyRequest, reply: FastifyReply, ending: Ending) => {
      if (request.ending !== null) return
      request.ending = ending
      underWay.delete(request.raw.socket)
      for (const listener of listeners) listener(request, reply, ending)
    }
    app.addHook('onRequest', (request, reply, done) => {
      const onClose = () => end(request, reply, broken.has(request) ? 'broken' : 'gone')
      reply.raw.on('close', onClose)
      underWay.set(request.raw.socket, request)
      if (reply.raw.socket === null) closeWith(request, reply, onClose)
      done()
    })
    app.addHook('onResponse', (request, reply, done) => {
      end(request, reply, 'answered')
      done()
    })
    app.onEnding((request, reply, ending) => {
      if (ending === 'gone') request.log.info({ responseTime: reply.elapsedTime }, 'request given up')
    })
  },
  { name: 'endings' },
)

/** Requests whose connection Fastify is about to close, because their answer cannot be finished. */
const broken = new WeakSet<FastifyRequest>()

const underWay = new WeakMap<Socket, FastifyRequest>()

/** The request that a connection is busy with; null: none. What goes wrong with the connection then is its end. */
export function requestOn(socket: Socket): FastifyRequest | null {
  return underWay.get(socket) ?? null
}

const queues = new WeakMap<Socket, Set<() => void>>()

/** Responses that stand behind another one of their connection hear nothing from Node when that closes before their turn. */
function closeWith({ raw: { socket } }: FastifyRequest, { raw }: FastifyReply, onClose: () => void): void {
  const queue = queues.get(socket) ?? openQueue(socket)
  queue.add(onClose)
  raw.on('close', () => queue.delete(onClose))
}

/** One listener for all of them: a client may send any number. */
function openQueue(socket: Socket): Set<() => void> {
  const queue = new Set<() => void>()
  queues.set(socket, queue)
  socket.on('close', () => {
    for (const onClose of queue) onClose()
  })
  return queue
}

/** What Fastify tells its log and no hook. */
export class EndingLog extends LogController {
  /** A stream that fails because its client has left is not ours. */
  override streamError(...args: Parameters<LogController['streamError']>): void {
    const [, request] = args
    if (request.ending === null && !request.raw.aborted && !request.raw.socket.destroyed) broken.add(request)
    super.streamError(...args)
  }

  /** A route that goes on when it is given up has an answer in the end, which is not to be told as one. */
  override requestCompleted(...args: Parameters<LogController['requestCompleted']>): void {
    if (args[1].ending !== 'gone') super.requestCompleted(...args)
  }
}
