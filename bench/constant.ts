import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Target, toCall, toRpc } from './target.ts'

/**
 * What no way can go below: a `POST /mcp` that has Fastify read the message and sends the bytes that the plugin sends,
 * from memory, without looking at who asks for what.
 *
 * @param whole the app whose answers it keeps
 */
export async function registerConstant(
  app: FastifyInstance,
  { whole, token }: { readonly whole: FastifyInstance; readonly token: string },
): Promise<void> {
  const answers = new Map([
    ['tools/call', await keep(toCall({ way: 'direct' }))],
    ['tools/list', await keep(toRpc('tools/list', {}, '2026-07-28'))],
  ])
  app.post('/mcp', (request: FastifyRequest<{ Body: { method: string } }>, reply) => {
    reply.header('content-type', 'application/json').send(answers.get(request.body.method))
  })

  async function keep({ path, method, headers, body }: Target): Promise<Buffer> {
    const answer = await whole.inject({
      url: path,
      method,
      headers: { ...headers, host: '127.0.0.1', authorization: `Bearer ${token}` },
      ...(body !== undefined && { payload: body }),
    })
    if (answer.statusCode !== 200) throw new Error(`no answer to keep: ${answer.statusCode} ${answer.body}`)
    return answer.rawPayload
  }
}
