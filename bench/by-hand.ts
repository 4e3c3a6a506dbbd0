import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { RequestId } from '../plugins/mcp/message.ts'
import { toTextMessage } from '../plugins/mcp/text/text-message.ts'
import { listMessages, page, querystring } from './bench-routes.ts'

interface Call {
  readonly id: RequestId
  readonly params: { readonly arguments: unknown }
}

/**
 * The first route once more, written by hand as one tool: what it costs to read a call, to do what the route does and to
 * print the answer as the plugin does. There is no second life cycle with its hooks, and nothing of the protocol is checked.
 */
export function registerByHand(
  app: FastifyInstance,
  { authenticate }: { readonly authenticate: (request: FastifyRequest) => unknown },
): void {
  app.post<{ Body: Call }>(
    '/mcp',
    {
      onRequest: async request => {
        authenticate(request)
      },
    },
    (request, reply) => {
      const { id, params } = request.body
      const text = reply.serializeInput(listMessages(querystring.parse(params.arguments)), page)
      const result = { text, isStructured: true, isError: false }
      reply.type('application/json; charset=utf-8').send(toTextMessage(id, result, '"resultType":"complete"'))
    },
  )
}
