import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'

/** The same tool by the official SDK, as its documentation has it: a stateless handler whose tool calls inject. */
export async function registerOfficialSdk(
  app: FastifyInstance,
  authenticate: (request: FastifyRequest) => unknown,
): Promise<void> {
  const handler = createMcpHandler(
    context => {
      const server = new McpServer({ name: 'bench', version: '1.0.0' })
      const authorization = context.requestInfo?.headers.get('authorization') ?? ''
      server.registerTool(
        'emails_list',
        { description: 'List e-mails', inputSchema: z.object({ limit: z.number().int() }) },
        async ({ limit }) => {
          const response = await app.inject({
            method: 'GET',
            url: `/api/emails?limit=${limit}`,
            headers: { authorization },
          })
          return { content: [{ type: 'text', text: response.payload }] }
        },
      )
      return server
    },
    { responseMode: 'json' },
  )
  app.post('/sdk', async (request, reply) => {
    authenticate(request)
    const headers = new Headers()
    for (const [name, value] of Object.entries(request.headers))
      if (typeof value === 'string') headers.set(name, value)
    const response = await handler.fetch(
      new Request(`http://bench.test/sdk`, { method: 'POST', headers, body: JSON.stringify(request.body) }),
      {
        parsedBody: request.body,
      },
    )
    reply.code(response.status)
    response.headers.forEach((value, name) => {
      reply.header(name, value)
    })
    return reply.send(await response.text())
  })
}
