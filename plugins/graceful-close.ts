import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

/**
 * While the server stops, every answer says that its connection ends with it. Without that, a connection whose
 * request was under way when the stop began stays open afterwards, and the stop waits until it times out.
 */
export const gracefulClose = fp(
  async (app: FastifyInstance) => {
    let isClosing = false

    app.addHook('preClose', async () => {
      isClosing = true
    })
    app.addHook('onSend', (_request, reply, payload, done) => {
      if (isClosing) reply.header('connection', 'close')
      done(null, payload)
    })
  },
  { name: 'graceful-close' },
)
