import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { toNames } from './bench-routes.ts'
import { callRoute } from './call-route.ts'
import type { SdkOptions } from './sdk-v2.ts'

/** The same tools by the official SDK, version 1, stateless: a server and a transport for every request. */
export function registerSdkV1(app: FastifyInstance, { authenticate, tools }: SdkOptions): void {
  app.post('/mcp', async (request, reply) => {
    authenticate(request)
    const server = new McpServer({ name: 'bench', version: '1.0.0' })
    const authorization = request.headers.authorization ?? ''
    for (const name of toNames(tools)) {
      const inputSchema = { limit: z.number().int() }
      server.registerTool(name, { description: 'List e-mails', inputSchema }, async ({ limit }) => {
        const text = await callRoute(app, { name, limit, authorization, isLoopback: false })
        return { content: [{ type: 'text', text }] }
      })
    }
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
    reply.hijack()
    reply.raw.once('close', () => void transport.close().then(() => server.close()))
    // The SDK's own types do not agree where undefined is no absent member.
    await server.connect(transport as Transport)
    await transport.handleRequest(request.raw, reply.raw, request.body)
  })
}
