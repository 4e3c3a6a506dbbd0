import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { allScopes } from '../lib/identity/scopes.ts'
import { toAudiences } from '../lib/identity/tokens.ts'

export interface ProtectedResourceOptions {
  readonly publicUrl: string
  /** Whose tokens are accepted. It is published only if it is a URL from which clients can learn more. */
  readonly issuer: string | null
}

const wellKnown = '/.well-known/oauth-protected-resource'

/**
 * OAuth 2.0 Protected Resource Metadata (RFC 9728): where a client without a token learns what it needs. Each
 * resource has its document at the well-known path followed by its own (section 3.1); the API's also stands at
 * the bare path, which older clients try.
 */
export const protectedResource = fp(
  async (app: FastifyInstance, { publicUrl, issuer }: ProtectedResourceOptions) => {
    const { api, mcp } = toAudiences(publicUrl)

    serve(`${wellKnown}/mcp`, mcp, 'Kobana Autonomous Inbox (MCP)')
    serve(`${wellKnown}/api/v1`, api, 'Kobana Autonomous Inbox API')
    serve(wellKnown, api, 'Kobana Autonomous Inbox API')

    function serve(path: string, resource: string, name: string): void {
      const document = {
        resource,
        ...(issuer !== null && URL.canParse(issuer) ? { authorization_servers: [issuer] } : {}),
        scopes_supported: allScopes,
        bearer_methods_supported: ['header'],
        resource_name: name,
      }
      app.get(path, async (_request, reply) => {
        reply.header('cache-control', 'public, max-age=300')
        return document
      })
    }
  },
  { name: 'protected-resource' },
)
