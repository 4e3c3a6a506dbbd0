import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyPluginAsync } from 'fastify'
import type { Dispatcher } from 'undici'
import { createKnownApiKeys } from './lib/api-keys/known-api-keys.ts'
import { createKnownGrants } from './lib/authorization/grants.ts'
import { createFixedKeys, type SigningKeys, toPublicJwk } from './lib/authorization/signing-keys.ts'
import { createStoredKeys } from './lib/authorization/stored-keys.ts'
import type { Config } from './lib/config/config.ts'
import type { Database } from './lib/database/database.ts'
import { createVerifiers } from './lib/identity/create-verifiers.ts'
import { parseJwks } from './lib/identity/jwks.ts'
import { createPrincipals } from './lib/identity/principals.ts'
import type { Jobs } from './lib/jobs/jobs.ts'
import { createLog, type Log } from './lib/log/log.ts'
import type { Metrics } from './lib/metrics/metrics.ts'
import { createSecretBox, type SecretBox } from './lib/secrets/secret-box.ts'
import type { Tracing } from './lib/tracing/tracing.ts'
import { agentInterface } from './plugins/agent-interface.ts'
import { agentPrompts } from './plugins/agent-prompts/index.ts'
import type { CallWatchers } from './plugins/around-call.ts'
import { audit, auditAnswers } from './plugins/audit.ts'
import { auth } from './plugins/auth.ts'
import { cors } from './plugins/cors.ts'
import { createEarlyErrorAnswers } from './plugins/early-errors.ts'
import { EndingLog, endings } from './plugins/endings.ts'
import { errorCatalogue } from './plugins/error-catalogue.ts'
import { errors } from './plugins/errors.ts'
import { gracefulClose } from './plugins/graceful-close.ts'
import { health } from './plugins/health.ts'
import { type IdempotencyOptions, idempotency } from './plugins/idempotency.ts'
import { metrics } from './plugins/metrics.ts'
import { openapi } from './plugins/openapi.ts'
import { peopleLinks } from './plugins/people-links.ts'
import { protectedResource } from './plugins/protected-resource.ts'
import { rateLimit } from './plugins/rate-limit.ts'
import { schemas } from './plugins/schemas.ts'
import { services } from './plugins/services.ts'
import { tenancy } from './plugins/tenancy.ts'
import { transactionEnds, transactions } from './plugins/transactions.ts'
import { apiRoutes } from './routes/api/v1/index.ts'

export interface AppOptions {
  readonly config: Config
  /** Open, and closed by whoever opened it, after the app. */
  readonly database: Database
  readonly jobs: Jobs
  /** The Ed25519 key, in PEM, that access tokens are verified with; not needed where `config.authJwks` is set. */
  readonly publicKey?: string
  /** What the built-in authorization server signs with, a private key in PEM. Default: keys of its own in the database. */
  readonly signingKey?: string
  /** What fetches the metadata documents of its clients. Default: one that connects to public addresses only. */
  readonly clientDocuments?: Dispatcher
  /** Default: a new one of the configured level. */
  readonly log?: Log
  readonly idempotency?: IdempotencyOptions
  /** Where requests and tool calls are counted. Default: nowhere. */
  readonly metrics?: Metrics
  /** What makes spans of requests and tool calls. Default: nothing. */
  readonly tracing?: Tracing
  /** What stands under /api/v1. Default: every operation of the API. */
  readonly routes?: FastifyPluginAsync
}

/**
 * The whole application, ready to listen or to be injected into. What is registered earlier acts earlier on a
 * request, so the order below is the order of refusals; it is written out because security depends on it.
 */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { config, database, jobs } = options
  const { publicUrl } = config
  const grants = createKnownGrants(database)
  const principals = createPrincipals(database, grants)
  const app = createServer(config, options)

  // First, since every request ends, and every answer has something of the second; then what everything else throws.
  await app.register(endings)
  await app.register(gracefulClose)
  await app.register(errors, { publicUrl })
  // They see what comes after them, which is all.
  const traceCall = options.tracing ? await registerTracing(app, options.tracing) : null
  if (options.metrics) {
    await app.register(metrics, { metrics: options.metrics, token: config.metrics.token })
  }
  const secretBox = createSecretBox(config.secretsKeys ?? [])
  await app.register(services, { config, database, jobs, secretBox })
  await app.register(schemas)
  // Before anything that asks for a token: a browser's preflight has none.
  await app.register(cors, { allowedOrigins: config.allowedOrigins, allowLocal: config.mode === 'demo' })
  // Open to everybody.
  await app.register(health)
  await app.register(errorCatalogue)
  // Without an authorization server, tokens come from the command line: there is nowhere to send anybody.
  const hasIssuer = config.authServer || config.authPublicKey !== null || config.authJwks !== null
  const issuer = hasIssuer ? config.authIssuer : null
  const { scopePrefix } = config.authMapping
  await app.register(protectedResource, { publicUrl, issuer, scopePrefix })
  // Before authentication: it stops a dispatched tool call that came to another route than its own.
  await app.register(agentInterface, {
    publicUrl,
    scopePrefix,
    ...config.mcp,
    confirmationKeys: config.confirmationKeys,
    // They name tools of the API's own operations.
    prompts: options.routes ? [] : agentPrompts,
    watchers: { metrics: options.metrics ?? null, traceCall },
  })
  // The budgets that authentication counts against.
  await app.register(rateLimit, { max: config.rateLimitMax, redisUrl: config.redisUrl, publicUrl })
  // Open to whoever has a link, within the budget of failed authentication.
  if (!config.authOutside) await app.register(peopleLinks, { publicUrl })
  // Who calls, and what the token covers.
  const onOutage = (err: unknown) => app.log.error({ err }, 'the keys of the AUTH_ISSUER cannot be fetched')
  const ownKeys = config.authServer ? createOwnKeys(options, secretBox) : null
  const loadOwnKeys = ownKeys && (async () => parseJwks({ keys: (await ownKeys.load()).map(toPublicJwk) }))
  const verifiers = createVerifiers(config, { publicKey: options.publicKey, loadOwnKeys, onOutage })
  const apiKeys = createKnownApiKeys(database)
  await app.register(auth, { publicUrl, scopePrefix, principals, apiKeys, ...verifiers })
  // Where people log in, and clients get their tokens.
  if (ownKeys) {
    const { authorization } = await import('./plugins/authorization/index.ts')
    await app.register(authorization, {
      publicUrl,
      issuer: config.authIssuer,
      keys: ownKeys,
      secretsKeys: config.secretsKeys ?? [],
      grants,
      ...(options.clientDocuments && { documents: options.clientDocuments }),
    })
  }
  // In which workspace, and what the role there allows.
  await app.register(tenancy, { principals })
  // How handlers reach the database; and, last of all, whether the request has been answered before. On the way
  // back: what was done is recorded in its transaction, then that ends, then what is left is recorded.
  await app.register(transactions)
  await app.register(audit)
  await app.register(idempotency, options.idempotency ?? {})
  await app.register(transactionEnds)
  await app.register(auditAnswers)
  // Sees every route that is registered after it.
  await app.register(openapi, { publicUrl })
  await app.register(options.routes ?? apiRoutes, { prefix: '/api/v1' })

  await app.ready()
  return app
}

function createOwnKeys({ database, signingKey }: AppOptions, secretBox: SecretBox): SigningKeys {
  return signingKey === undefined ? createStoredKeys(database, secretBox) : createFixedKeys(signingKey)
}

/** Loaded where it is used: without an exporter there is nothing of OpenTelemetry in the process. */
async function registerTracing(app: FastifyInstance, tracing: Tracing): Promise<CallWatchers['traceCall']> {
  const [plugin, { traceCall }] = await Promise.all([
    import('./plugins/tracing.ts'),
    import('./plugins/trace-call.ts'),
  ])
  await app.register(plugin.tracing, { tracing })
  return (call, run) => traceCall(tracing, call, run)
}

function createServer(
  { logLevel, trustProxy, publicUrl }: Config,
  { log, metrics }: Pick<AppOptions, 'log' | 'metrics'>,
): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = log ?? createLog(logLevel)
  return Fastify({
    loggerInstance,
    genReqId: createRequestId,
    logController: new EndingLog(),
    trustProxy: toTrust(trustProxy),
    // Milliseconds until a request must have arrived whole: one that trickles in holds a connection.
    requestTimeout: 120_000,
    // What is under way, or comes on a connection that is still open while the server stops, is served.
    return503OnClosing: false,
    ...createEarlyErrorAnswers({
      publicUrl,
      createId: createRequestId,
      log: loggerInstance,
      metrics: metrics ?? null,
    }),
  })
}

/** Chosen here and never taken from a header: it is what log, answer and record have in common. */
function createRequestId(): string {
  return `req_${randomUUID().replaceAll('-', '')}`
}

/** So many proxies in a row are ours; what stands before them in X-Forwarded-For is only a claim. */
function toTrust(trust: Config['trustProxy']) {
  if (typeof trust === 'number') return (_address: string, hop: number) => hop < trust
  return typeof trust === 'boolean' ? trust : [...trust]
}
