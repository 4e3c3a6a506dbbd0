import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import packageFile from '../package.json' with { type: 'json' }
import { agentInstructions } from './agent-instructions.ts'
import { mcp } from './mcp/index.ts'

/**
 * `POST /mcp`: plugins/mcp with what it cannot know of this product. Who calls and what they may do is asked of
 * the same plugins that guard the API.
 */
export const agentInterface = fp(
  async (app: FastifyInstance, { publicUrl }: { publicUrl: string }) => {
    await app.register(mcp, {
      serverInfo: {
        name: 'kobana-autonomous-inbox',
        title: 'Kobana Autonomous Inbox',
        version: packageFile.version,
      },
      instructions: agentInstructions,
      authenticate: async request => {
        const principal = await app.authenticateMcp(request)
        return { id: principal.id, clientId: principal.clientId, scopes: principal.scopes, principal }
      },
      limit: async (request, reply, { principal }) => {
        if (principal) await app.limitCaller(request, reply, principal)
      },
      permissions: async ({ principal }, request) =>
        principal ? app.permissionsOf(principal, request) : new Set<string>(),
      resourceMetadataUrl: `${publicUrl}/.well-known/oauth-protected-resource/mcp`,
      allowedOrigins: origin => app.isAllowedOrigin(origin),
      // The workspace is the connection's, not an argument that a model could be talked into changing.
      forwardHeaders: ['x-workspace-id'],
    })
  },
  { name: 'agent-interface', dependencies: ['cors'] },
)
