import type { FastifyInstance, FastifyRequest } from 'fastify'
import { listMessages, page, querystring } from './bench-routes.ts'

interface Call {
  readonly id: unknown
  readonly params: { readonly arguments: unknown }
}

/**
 * The first route once more, written by hand as one tool: what it costs to read a call, to do what the route does and to
 * send the answer twice, without the route's hooks, without the protocol, and for nobody else's route.
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
      const content = `"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${text}`
      reply
        .type('application/json; charset=utf-8')
        .send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${content},"resultType":"complete"}}`)
    },
  )
}
