import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { metadataPath, toAudiences } from '../lib/identity/audiences.ts'
import { allScopes } from '../lib/identity/scopes.ts'

export interface ProtectedResourceOptions {
  readonly publicUrl: string
  /** Whose tokens are accepted. It is published only if it is a URL from which clients can learn more. */
  readonly issuer: string | null
  /** What the names of scopes begin with at the issuer. */
  readonly scopePrefix: string
}

/**
 * OAuth 2.0 Protected Resource Metadata (RFC 9728): where a client without a token learns what it needs. Each
 * resource has its document at the well-known path followed by its own (section 3.1); that of /mcp also stands at
 * the bare path, which older clients try. Nothing in it comes from a request: what a client could make this server say,
 * it could make it say to others through a cache.
 */
export const protectedResource = fp(
  async (app: FastifyInstance, { publicUrl, issuer, scopePrefix }: ProtectedResourceOptions) => {
    const { api, mcp } = toAudiences(publicUrl)

    // Where the public URL has a path of its own, it comes between, for a proxy that takes nothing away.
    const base = new URL(publicUrl).pathname.replace(/\/+$/, '')

    serve([metadataPath, ...toPaths('/mcp')], mcp, 'Kobana Autonomous Inbox (MCP)')
    serve(toPaths('/api/v1'), api, 'Kobana Autonomous Inbox API')

    function toPaths(path: string): string[] {
      return [...new Set([`${metadataPath}${path}`, `${metadataPath}${base}${path}`])]
    }

    function serve(paths: readonly string[], resource: string, name: string): void {
      const document = {
        resource,
        ...(issuer !== null && URL.canParse(issuer) ? { authorization_servers: [issuer] } : {}),
        scopes_supported: allScopes.map(scope => `${scopePrefix}${scope}`),
        bearer_methods_supported: ['header'],
        resource_name: name,
      }
      for (const path of paths) {
        app.get(path, async (_request, reply) => {
          reply.header('cache-control', 'public, max-age=300')
          return document
        })
      }
    }
  },
  { name: 'protected-resource' },
)
