import {
  type AccessToken,
  type ClientCredentials,
  type Configuration,
  errors,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider'
import type { Database } from '../database/database.ts'
import { toAudiences } from '../identity/audiences.ts'
import { allScopes } from '../identity/scopes.ts'
import { grantClaim } from '../identity/token-claims.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { createAdapter } from './adapter.ts'
import { applyClientPolicy, clientAuthMethods } from './client-policy.ts'
import { touchClient } from './clients-adapter.ts'
import type { FetchDocument } from './fetch-document.ts'
import { findAccount } from './find-account.ts'
import { findWorkspace } from './grants.ts'
import { createInteractionPolicy } from './interaction-policy.ts'
import { lifetimes, toRefreshTokenLifetime, toSessionLifetime } from './lifetimes.ts'
import { endpoints } from './metadata.ts'
import { toErrorPage } from './pages/error-page.ts'
import { toPageHeaders } from './pages/page.ts'
import type { PrivateJwk } from './signing-keys.ts'
import { orUnavailable } from './store-errors.ts'

export interface ProviderOptions {
  readonly publicUrl: string
  /** `publicUrl` and `/oauth`. */
  readonly issuer: string
  readonly database: Database
  readonly secretBox: SecretBox
  readonly cookieKeys: readonly string[]
  readonly fetchDocument: FetchDocument
  /** Whether the document of a client, named by its URL, may be fetched for this request. */
  readonly allowFetch: (context: KoaContextWithOIDC | undefined, url: string) => Promise<boolean>
  /** Called when a consent ends. */
  readonly onEnd: (grantId: string) => void
}

/**
 * The protocol: oidc-provider, with everything turned off that is not needed here. `keys` are all that are published;
 * the first signs. It is built anew when they change.
 */
export function createProvider(options: ProviderOptions, keys: readonly PrivateJwk[]): Provider {
  const provider = new Provider(options.issuer, toConfiguration(options, keys))
  // Its URLs come from the headers of a proxy. Those are overwritten with the public URL before it sees a request.
  provider.proxy = true
  // Koa would print its errors, a connection that was reset among them, beside the log; those of the server are events.
  provider.silent = true
  provider.use(async (ctx, next) => {
    const isAllowed = Boolean(ctx.response.get('access-control-allow-origin'))
    await next()
    if (ctx.status === 503) ctx.set('retry-after', '5')
    // What is left of a body that was too large stays unread, and with it whatever comes next on the connection: behind a
    // proxy that would be somebody else's request.
    if (!ctx.req.complete) ctx.set('connection', 'close')
    // Which pages may call is for plugins/cors.ts to say, and it has; the library would let all of them.
    if (isAllowed) return
    ctx.remove('access-control-allow-origin')
    ctx.remove('access-control-expose-headers')
  })
  return provider
}

function toConfiguration(options: ProviderOptions, keys: readonly PrivateJwk[]): Configuration {
  const { database, secretBox, onEnd, issuer } = options
  const { protocol, pathname } = new URL(issuer)
  const cookie = { httpOnly: true, sameSite: 'lax', secure: protocol === 'https:', overwrite: true } as const
  return {
    adapter: createAdapter({ database, secretBox, onEnd }),
    jwks: { keys: [...keys] },
    routes: endpoints,
    scopes: [],
    responseTypes: ['code'],
    clientAuthMethods: [...clientAuthMethods],
    clientDefaults: { id_token_signed_response_alg: 'EdDSA' },
    extraClientMetadata: {
      properties: ['software_id'],
      validator: (_context, _name, _value, metadata) => applyClientPolicy(metadata),
    },
    pkce: { required: () => true },
    clockTolerance: 5,
    cookies: {
      keys: [...options.cookieKeys],
      names: { session: 'inbox_session', interaction: 'inbox_interaction', resume: 'inbox_resume' },
      long: { ...cookie, path: pathname },
      short: cookie,
    },
    interactions: {
      policy: createInteractionPolicy(),
      url: (_context, { uid }) => `${pathname}/interaction/${uid}`,
    },
    // Where the browser's page is from makes no difference here: plugins/cors.ts has decided.
    clientBasedCORS: () => true,
    findAccount: (context, id) => findAccount(database, id, context.oidc.session),
    extraTokenClaims: (_context, token) => toExtraClaims(database, token),
    expiresWithSession: () => false,
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    revokeGrantPolicy: () => true,
    fetch: options.fetchDocument,
    ttl: toTtl(),
    features: toFeatures(options, keys),
    renderError: (context, { error, error_description: description }) => {
      context.type = 'html'
      context.set(toPageHeaders())
      context.body = toErrorPage({ code: error, detail: description ?? '' })
    },
  }
}

function toFeatures(
  { publicUrl, allowFetch }: ProviderOptions,
  [signing]: readonly PrivateJwk[],
): Configuration['features'] {
  const { api, mcp } = toAudiences(publicUrl)
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    dPoP: { enabled: false },
    revocation: {
      enabled: true,
      allowedPolicy: (_context, client, token) => token.clientId === client.clientId,
    },
    registration: { enabled: true, initialAccessToken: false, issueRegistrationAccessToken: false },
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      allowFetch,
      allowClient: () => true,
      cacheDuration: { min: 60, max: 3_600 },
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_context, _client, oneOf) => oneOf ?? mcp,
      useGrantedResource: () => true,
      getResourceServerInfo: ({ oidc }, resource) => {
        if (resource !== mcp && resource !== api) {
          throw new errors.InvalidTarget(`resource must be ${mcp} or ${api}`)
        }
        // One consent is for one of them: what a person reads on the page is what the token opens.
        if (Array.isArray(oidc.params?.resource) && oidc.params.resource.length > 1) {
          throw new errors.InvalidTarget('ask for one resource at a time')
        }
        return {
          audience: resource,
          scope: allScopes.join(' '),
          accessTokenFormat: 'jwt',
          accessTokenTTL: lifetimes.accessToken,
          jwt: { sign: { alg: 'EdDSA', kid: signing?.kid } },
        }
      },
    },
  }
}

function toTtl(): Configuration['ttl'] {
  const now = () => Math.floor(Date.now() / 1000)
  return {
    AccessToken: lifetimes.accessToken,
    AuthorizationCode: lifetimes.code,
    Interaction: lifetimes.interaction,
    Grant: lifetimes.grant,
    RefreshToken: (_context, { iiat }) => toRefreshTokenLifetime(iiat ?? now(), now()),
    Session: (_context, { loginTs }) => toSessionLifetime(loginTs, now()),
  }
}

/** Asked for each access token, so that it is also where clients are noted to be in use. */
async function toExtraClaims(database: Database, token: AccessToken | ClientCredentials) {
  const { clientId } = token
  const grantId = 'grantId' in token ? token.grantId : undefined
  if (grantId === undefined || clientId === undefined) return undefined
  await orUnavailable(() => touchClient(database, clientId))
  const workspaceId = await orUnavailable(() => findWorkspace(database, grantId))
  return { [grantClaim]: grantId, ...(workspaceId !== null && { workspace_id: workspaceId }) }
}
