import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { keyPrefix } from '../lib/api-keys/key-text.ts'
import type { KnownApiKeys } from '../lib/api-keys/known-api-keys.ts'
import { toMetadataUrls } from '../lib/identity/audiences.ts'
import {
  type Challenge,
  toInsufficientScope,
  toUnauthorized,
  toUnjudged,
} from '../lib/identity/challenges.ts'
import { KeysUnavailable } from '../lib/identity/key-set.ts'
import type { Principal } from '../lib/identity/principal.ts'
import type { Principals } from '../lib/identity/principals.ts'
import { isScope } from '../lib/identity/scopes.ts'
import type { TokenClaims } from '../lib/identity/token-claims.ts'
import type { TokenVerifier } from '../lib/identity/tokens.ts'
import type { Caller } from './mcp/declarations.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who makes the request. Reading it on a route that declares no scopes is a mistake and throws. */
    principal: Principal
  }

  interface FastifyInstance {
    /** Verifies the token of a request to /mcp. Rejects with a problem: 401, 429 or 503. */
    authenticateMcp(request: FastifyRequest): Promise<Principal>
    /** Who makes the request, or null where that is not known: nobody has authenticated, or nobody has to. */
    principalOf(request: FastifyRequest): Principal | null
    /** Lets a change of somebody's role take effect at once on this process; elsewhere it takes 30 seconds. */
    forgetPrincipal(userId: string): void
    /** Lets the revocation of an API key, named by its hash, take effect at once on this process; elsewhere as above. */
    forgetApiKey(hash: string): void
  }
}

// The identity that POST /mcp verified, which comes back in the requests that it dispatches. Optional, because
// other APIs that embed plugins/mcp in the same program have callers of their own.
declare module './mcp/declarations.ts' {
  interface Caller {
    readonly principal?: Principal
  }
}

export interface AuthOptions {
  readonly publicUrl: string
  /** What the names of scopes begin with at the issuer. */
  readonly scopePrefix: string
  readonly principals: Principals
  readonly apiKeys: KnownApiKeys
  /** One for each audience: a token for the API is nothing to /mcp, and the other way round. */
  readonly verifyApiToken: TokenVerifier
  readonly verifyMcpToken: TokenVerifier
}

/**
 * Who calls, and whether the token covers the route: for every route that declares `scopes`. A route of the
 * API that declares none stops the boot, so that none is open by oversight.
 */
export const auth = fp(
  async (app: FastifyInstance, options: AuthOptions) => {
    const { principals, apiKeys } = options
    const known = new WeakMap<FastifyRequest, Principal>()
    const metadata = toMetadataUrls(options.publicUrl)

    app.decorateRequest('principal', {
      getter(this: FastifyRequest) {
        const principal = known.get(this)
        if (!principal)
          throw new Error(`${this.method} ${this.routeOptions.url} has no principal: it declares no scopes`)
        return principal
      },
      setter(this: FastifyRequest, principal: Principal) {
        known.set(this, principal)
      },
    })

    app.decorate('principalOf', request => known.get(request) ?? null)
    app.decorate('forgetPrincipal', userId => principals.forget(userId))
    app.decorate('forgetApiKey', hash => apiKeys.forget(hash))

    app.decorate('authenticateMcp', async request => {
      await app.checkAddress(request)
      const sent = toSent(request.headers.authorization)
      const principal =
        sent.kind === 'token' ? await findByToken(request, sent.text, options.verifyMcpToken) : null
      const refused = sent.kind === 'key' ? 'keyForMcp' : sent.kind
      return principal ?? refuse(request, refused, { metadata: metadata.mcp, scopes: [] })
    })

    app.addHook('onRoute', checkDeclaration)

    app.addHook('onRequest', (request, reply, done) => {
      const { scopes } = request.routeOptions.config
      if (!scopes) return done()
      // A dispatched tool call was counted and verified at POST /mcp; nothing in its headers is believed.
      if (request.mcp) {
        admit({ request, reply, scopes }, toPrincipal(request.mcp.caller))
        return done()
      }
      const challenge = toChallenge(scopes)
      identify(request, reply, challenge)
        .then(principal => admit({ request, reply, scopes }, principal))
        .then(() => done(), done)
    })

    function admit({ request, reply, scopes }: Guarded, principal: Principal): void {
      request.principal = principal
      if (!scopes.every(scope => principal.scopes.includes(scope)))
        throw toInsufficientScope(toChallenge(scopes))
      // Everything behind a token is somebody's own.
      reply.header('cache-control', 'no-store')
    }

    function toChallenge(scopes: readonly string[]): Challenge {
      return { metadata: metadata.api, scopes: scopes.map(scope => `${options.scopePrefix}${scope}`) }
    }

    async function identify(
      request: FastifyRequest,
      reply: FastifyReply,
      challenge: Challenge,
    ): Promise<Principal> {
      await app.checkAddress(request)
      const sent = toSent(request.headers.authorization)
      const principal = (await find(request, sent)) ?? (await refuse(request, sent.kind, challenge))
      await app.limitCaller(request, reply, principal)
      return principal
    }

    async function find(request: FastifyRequest, sent: Sent): Promise<Principal | null> {
      if (sent.kind === 'none') return null
      if (sent.kind === 'token') return findByToken(request, sent.text, options.verifyApiToken)
      const key = await apiKeys.find(sent.text)
      return key && principals.findKeyHolder(key)
    }

    async function findByToken(
      request: FastifyRequest,
      token: string,
      verify: TokenVerifier,
    ): Promise<Principal | null> {
      const claims = await readClaims(request, token, verify)
      return claims && principals.find(claims)
    }

    async function refuse(
      request: FastifyRequest,
      sent: Parameters<typeof toUnauthorized>[0],
      challenge: Challenge,
    ): Promise<never> {
      await app.countFailedAuthentication(request)
      throw toUnauthorized(sent, challenge)
    }
  },
  { name: 'auth', dependencies: ['errors', 'rate-limit'] },
)

/** A request to a route that declares scopes. */
interface Guarded {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly scopes: readonly string[]
}

type Sent = { readonly kind: 'none' } | { readonly kind: 'token' | 'key'; readonly text: string }

/** A typing mistake here would lock everybody out, or, left out, let everybody in. */
function checkDeclaration({ url, method, config }: RouteOptions): void {
  const route = `${[method].flat().join(', ')} ${url}`
  const { scopes, permission } = config ?? {}
  if (!scopes) {
    if (!url.startsWith('/api/v1') || config?.open) return
    throw new Error(`${route} declares no config.scopes; [] means any valid token`)
  }
  for (const name of permission === undefined ? scopes : [...scopes, permission]) {
    if (!isScope(name)) throw new Error(`${route} declares ${name}, which is no scope or permission`)
  }
}

function toPrincipal({ principal }: Caller): Principal {
  if (!principal) throw new Error('the caller of a dispatched request has no principal')
  return principal
}

/** RFC 6750 section 2.1: the scheme in any case, one blank or more, a b64token. */
function toSent(header: string | undefined): Sent {
  const text = /^bearer +([\w.~+/-]+=*) *$/i.exec(header ?? '')?.[1]
  if (text === undefined) return { kind: 'none' }
  return { kind: text.startsWith(keyPrefix) ? 'key' : 'token', text }
}

async function readClaims(
  request: FastifyRequest,
  token: string,
  verify: TokenVerifier,
): Promise<TokenClaims | null> {
  try {
    return await verify(token)
  } catch (error) {
    if (error instanceof KeysUnavailable) throw toUnjudged(error)
    // Why a token is refused helps whoever runs this and whoever forges one: it goes to the log only.
    request.log.info({ reason: error instanceof Error ? error.message : String(error) }, 'token refused')
    return null
  }
}
