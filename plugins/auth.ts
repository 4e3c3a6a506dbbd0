import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import type { Principal } from '../lib/identity/principal.ts'
import type { Principals } from '../lib/identity/principals.ts'
import { isScope } from '../lib/identity/scopes.ts'
import type { TokenClaims } from '../lib/identity/tokens.ts'
import { type Problem, problem } from '../lib/problem/problem.ts'
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
  readonly principals: Principals
  /** One for each audience: a token for the API is nothing to /mcp, and the other way round. */
  readonly verifyApiToken: (token: string) => TokenClaims
  readonly verifyMcpToken: (token: string) => TokenClaims
}

/**
 * Who calls, and whether the token covers the route: for every route that declares `scopes`. A route of the
 * API that declares none stops the boot, so that none is open by oversight.
 */
export const auth = fp(
  async (app: FastifyInstance, options: AuthOptions) => {
    const known = new WeakMap<FastifyRequest, Principal>()
    const metadata = `${options.publicUrl}/.well-known/oauth-protected-resource`

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
    app.decorate('forgetPrincipal', userId => options.principals.forget(userId))

    app.decorate('authenticateMcp', async request => {
      await app.checkAddress(request)
      return authenticate(request, options.verifyMcpToken, { metadata: `${metadata}/mcp`, scopes: [] })
    })

    app.addHook('onRoute', checkDeclaration)

    app.addHook('onRequest', async (request, reply) => {
      const { scopes } = request.routeOptions.config
      if (!scopes) return
      request.principal = await identify(request, reply, scopes)
      checkScopes(request.principal, scopes, metadata)
      // Everything behind a token is somebody's own.
      reply.header('cache-control', 'no-store')
    })

    /** A dispatched tool call was counted and verified at POST /mcp; nothing in its headers is believed. */
    async function identify(
      request: FastifyRequest,
      reply: FastifyReply,
      scopes: readonly string[],
    ): Promise<Principal> {
      if (request.mcp) return toPrincipal(request.mcp.caller)
      await app.checkAddress(request)
      const principal = await authenticate(request, options.verifyApiToken, { metadata, scopes })
      await app.limitCaller(request, reply, principal)
      return principal
    }

    async function authenticate(
      request: FastifyRequest,
      verify: (token: string) => TokenClaims,
      challenge: { metadata: string; scopes: readonly string[] },
    ): Promise<Principal> {
      const token = toBearerToken(request.headers.authorization)
      const claims = token === null ? null : readClaims(request, token, verify)
      const principal = claims && (await options.principals.find(claims))
      if (principal) return principal

      await app.countFailedAuthentication(request)
      throw toUnauthorized(token !== null, challenge)
    }
  },
  { name: 'auth', dependencies: ['errors', 'rate-limit'] },
)

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
function toBearerToken(header: string | undefined): string | null {
  return /^bearer +([\w.~+/-]+=*) *$/i.exec(header ?? '')?.[1] ?? null
}

function readClaims(
  request: FastifyRequest,
  token: string,
  verify: (token: string) => TokenClaims,
): TokenClaims | null {
  try {
    return verify(token)
  } catch (error) {
    // Why a token is refused helps whoever runs this and whoever forges one: it goes to the log only.
    request.log.info({ reason: error instanceof Error ? error.message : String(error) }, 'token refused')
    return null
  }
}

/** RFC 6750 section 3: no error code when no token was sent. RFC 9728 section 5.1: where to learn how to get one. */
function toUnauthorized(
  tokenSent: boolean,
  { metadata, scopes }: { metadata: string; scopes: readonly string[] },
): Problem {
  const challenge = [
    ...(tokenSent ? ['error="invalid_token"'] : []),
    `resource_metadata="${metadata}"`,
    ...(scopes.length > 0 ? [`scope="${scopes.join(' ')}"`] : []),
  ]
  const detail = tokenSent
    ? 'The access token is not valid here: it may have expired, or be meant for another resource.'
    : 'Send an access token: Authorization: Bearer <token>.'
  return problem('unauthorized', detail, {
    headers: { 'www-authenticate': `Bearer ${challenge.join(', ')}` },
  })
}

/** The challenge lists every scope that the operation needs (RFC 6750 section 3.1), not only those missing. */
function checkScopes(principal: Principal, scopes: readonly string[], metadata: string): void {
  if (scopes.every(scope => principal.scopes.includes(scope))) return
  const needed = scopes.join(' ')
  const challenge = `Bearer error="insufficient_scope", scope="${needed}", resource_metadata="${metadata}"`
  throw problem('insufficient_scope', `This needs an access token with the scope ${needed}.`, {
    headers: { 'www-authenticate': challenge },
  })
}
