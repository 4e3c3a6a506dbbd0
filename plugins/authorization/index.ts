import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Dispatcher } from 'undici'
import { createBrowserSeal, deriveCookieKeys } from '../../lib/authorization/cookie-keys.ts'
import { createCurrentProvider } from '../../lib/authorization/current-provider.ts'
import { createFetchDocument } from '../../lib/authorization/fetch-document.ts'
import type { KnownGrants } from '../../lib/authorization/grants.ts'
import { toMetadataPaths, toServerMetadata } from '../../lib/authorization/metadata.ts'
import type { SigningKeys } from '../../lib/authorization/signing-keys.ts'
import { createGuardedAgent } from '../../lib/network/guarded-agent.ts'
import { Problem } from '../../lib/problem/problem.ts'
import { registerEndpoints } from './endpoints.ts'
import { logEvents } from './log-events.ts'
import { registerPages } from './pages.ts'

export interface AuthorizationOptions {
  readonly publicUrl: string
  /** `publicUrl` and `/oauth`. */
  readonly issuer: string
  readonly keys: SigningKeys
  readonly secretsKeys: readonly string[]
  /** What the resource server remembers of consents, to be told when one ends. */
  readonly grants: KnownGrants
  /** What fetches clients' metadata documents. Default: one that connects to public addresses only. */
  readonly documents?: Dispatcher
}

/**
 * The built-in authorization server, at `/oauth`: metadata and keys, the protocol (oidc-provider), and the two pages on
 * which a person logs in and consents.
 */
export const authorization = fp(
  async (app: FastifyInstance, options: AuthorizationOptions) => {
    const { publicUrl, issuer, keys, secretsKeys, grants } = options
    const documents = options.documents ?? createOwnAgent(app)
    const requests = new WeakMap<IncomingMessage, FastifyRequest>()
    const toRequest = (context: KoaContextWithOIDC | undefined) => context && requests.get(context.req)
    const current = createCurrentProvider(
      {
        publicUrl,
        issuer,
        database: app.database,
        secretBox: app.secretBox,
        cookieKeys: deriveCookieKeys(secretsKeys),
        fetchDocument: createFetchDocument(documents),
        // Outside of a request, on our own pages, the client is one that has just been fetched.
        allowFetch: async context => {
          const request = toRequest(context)
          if (request) await app.limitClients(request).catch(toProtocolError)
          return true
        },
        onEnd: grants.forget,
      },
      { keys, onCreate: provider => logEvents(provider, context => toRequest(context)?.log ?? app.log) },
    )

    const metadata = toServerMetadata(issuer)
    for (const path of toMetadataPaths(issuer)) {
      app.get(path, async (_request, reply) => {
        reply.header('cache-control', 'public, max-age=300')
        return metadata
      })
    }
    app.get('/oauth/jwks', async (_request, reply) => {
      reply.header('cache-control', 'public, max-age=300')
      return { keys: await current.publicKeys() }
    })

    const shared = { issuer, current }
    await app.register(async scope => registerEndpoints(scope, { ...shared, requests }))
    await app.register(async scope =>
      registerPages(scope, { ...shared, seal: createBrowserSeal(secretsKeys) }),
    )
  },
  { name: 'authorization', dependencies: ['errors', 'services', 'cors', 'rate-limit', 'graceful-close'] },
)

function createOwnAgent(app: FastifyInstance): Dispatcher {
  const agent = createGuardedAgent({ allowPrivate: false })
  app.addHook('onClose', async () => agent.close())
  return agent
}

/** The library renders errors of its own only; others are failures to it. */
function toProtocolError(error: unknown): never {
  if (!(error instanceof Problem)) throw error
  const { status, detail, cause } = error
  const refusal = new errors.CustomOIDCProviderError('temporarily_unavailable', detail)
  throw Object.assign(refusal, { status, statusCode: status, allow_redirect: false, cause })
}
