import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Announces the stop and serves on for so many milliseconds: `/ready` says that the server is not ready, and
     * every answer ends its connection. A proxy that has noticed brings nothing any more when the server closes
     * next, so that no request is refused and none meets a connection at the moment that it is closed.
     */
    drain(milliseconds: number): Promise<void>
    /** Whether the stop has been announced, or has begun. */
    isStopping(): boolean
    /** Says that a request is answered, all its hooks included, or that somebody else answers it. */
    hasAnswered(request: FastifyRequest): void
    /**
     * Resolves when every request that was read is answered, but after no more than ten seconds. A server that
     * closes waits for its connections; a request whose client has left, and what a tool call dispatched, has none.
     */
    allAnswered(): Promise<void>
  }
}

/** Milliseconds. */
const waitingAtMost = 10_000

/**
 * While the server stops, every answer says that its connection ends with it. Without that, a connection whose
 * request was under way when the stop began stays open afterwards, and the stop waits until it times out. Also knows
 * which requests are under way.
 */
export const gracefulClose = fp(
  async (app: FastifyInstance) => {
    let isStopping = false
    const underWay = new Set<FastifyRequest>()
    let onIdle = () => {}

    app.decorate('isStopping', () => isStopping)
    app.decorate('drain', async milliseconds => {
      isStopping = true
      await wait(milliseconds)
    })
    app.decorate('hasAnswered', request => {
      if (underWay.delete(request) && underWay.size === 0) onIdle()
    })
    app.decorate('allAnswered', async () => {
      if (underWay.size === 0) return
      const patience = new AbortController()
      const idle = new Promise<void>(resolve => {
        onIdle = resolve
      })
      await Promise.race([idle, wait(waitingAtMost, undefined, { signal: patience.signal }).catch(() => {})])
      patience.abort()
      if (underWay.size > 0)
        app.log.warn({ requests: underWay.size }, 'stopping before every request was answered')
    })
    // Not before its body is there: one whose client leaves earlier is never answered, and has done nothing.
    app.addHook('preValidation', (request, _reply, done) => {
      underWay.add(request)
      done()
    })
    app.addHook('preClose', async () => {
      isStopping = true
    })
    app.addHook('onSend', (_request, reply, payload, done) => {
      if (isStopping) reply.header('connection', 'close')
      done(null, payload)
    })
  },
  { name: 'graceful-close' },
)
