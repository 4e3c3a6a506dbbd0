import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { toMetadataUrls } from '../lib/identity/audiences.ts'
import packageFile from '../package.json' with { type: 'json' }
import { agentInstructions } from './agent-instructions.ts'
import type { AgentPrompt } from './agent-prompts/agent-prompt.ts'
import { type CallWatchers, createAroundCall } from './around-call.ts'
import { mcp } from './mcp/index.ts'

export interface AgentInterfaceOptions {
  readonly publicUrl: string
  /** What the names of scopes begin with at the issuer. */
  readonly scopePrefix: string
  /** How tools reach their routes. */
  readonly dispatch: 'direct' | 'inject'
  /** Whether all tools are listed, or three by which they are searched for. */
  readonly listing: 'all' | 'search'
  /** What questions to the person are signed with; null: destructive tools are refused to agents. */
  readonly confirmationKeys: readonly string[] | null
  /** Prompts over the tools of the routes that are registered afterwards. */
  readonly prompts: readonly AgentPrompt[]
  /** Who else sees the calls. */
  readonly watchers: CallWatchers
}

/**
 * `POST /mcp`: plugins/mcp with what it cannot know of this product. Who calls and what they may do is asked of
 * the same plugins that guard the API.
 */
export const agentInterface = fp(
  async (
    app: FastifyInstance,
    { publicUrl, scopePrefix, dispatch, listing, confirmationKeys, prompts, watchers }: AgentInterfaceOptions,
  ) => {
    await app.register(mcp, {
      serverInfo: {
        name: 'kobana-autonomous-inbox',
        title: 'Kobana Autonomous Inbox',
        version: packageFile.version,
      },
      instructions: agentInstructions,
      dispatch,
      listing,
      authenticate: async request => {
        const principal = await app.authenticateMcp(request)
        return { id: principal.id, clientId: principal.clientId, scopes: principal.scopes, principal }
      },
      limit: async (request, reply, { principal }) => {
        if (principal) await app.limitCaller(request, reply, principal)
      },
      permissions: async ({ principal }, request) =>
        principal ? app.permissionsOf(principal, request) : new Set<string>(),
      resourceMetadataUrl: toMetadataUrls(publicUrl).mcp,
      scopePrefix,
      allowedOrigins: origin => app.isAllowedOrigin(origin),
      aroundCall: createAroundCall(app, watchers),
      unreached: (call, request) => app.auditUnreached(call, request),
      // The workspace is the connection's, not an argument that a model could be talked into changing.
      forwardHeaders: ['x-workspace-id'],
      prompts: [...prompts],
      ...(confirmationKeys && {
        confirmation: {
          keys: [...confirmationKeys],
          // A yes in one workspace is none in another.
          context: ({ principal }, request) => (principal ? app.workspaceOf(principal, request) : ''),
        },
      }),
    })
  },
  { name: 'agent-interface', dependencies: ['cors'] },
)
