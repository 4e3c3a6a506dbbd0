import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
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
  }
}

/**
 * While the server stops, every answer says that its connection ends with it. Without that, a connection whose
 * request was under way when the stop began stays open afterwards, and the stop waits until it times out.
 */
export const gracefulClose = fp(
  async (app: FastifyInstance) => {
    let isStopping = false

    app.decorate('isStopping', () => isStopping)
    app.decorate('drain', async milliseconds => {
      isStopping = true
      await wait(milliseconds)
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
