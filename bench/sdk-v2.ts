import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { toNames } from './bench-routes.ts'
import { callRoute } from './call-route.ts'

export interface SdkOptions {
  readonly authenticate: (request: FastifyRequest) => unknown
  readonly tools: number
}

/** The same tools by the official SDK, version 2: a stateless handler, whose tools inject or fetch over loopback. */
export function registerSdkV2(
  app: FastifyInstance,
  { authenticate, tools, isLoopback }: SdkOptions & { readonly isLoopback: boolean },
): void {
  const inputSchema = z.object({ limit: z.number().int() })
  const handler = createMcpHandler(
    context => {
      const server = new McpServer({ name: 'bench', version: '1.0.0' })
      const authorization = context.requestInfo?.headers.get('authorization') ?? ''
      for (const name of toNames(tools)) {
        server.registerTool(name, { description: 'List e-mails', inputSchema }, async ({ limit }) => {
          const text = await callRoute(app, { name, limit, authorization, isLoopback })
          return { content: [{ type: 'text', text }] }
        })
      }
      return server
    },
    { responseMode: 'json' },
  )
  app.post('/mcp', async (request, reply) => {
    authenticate(request)
    const headers = new Headers()
    for (const [name, value] of Object.entries(request.headers))
      if (typeof value === 'string') headers.set(name, value)
    const init = { method: 'POST', headers, body: JSON.stringify(request.body) }
    const response = await handler.fetch(new Request('http://bench.test/mcp', init), {
      parsedBody: request.body,
    })
    reply.code(response.status)
    response.headers.forEach((value, name) => {
      reply.header(name, value)
    })
    return reply.send(await response.text())
  })
}
