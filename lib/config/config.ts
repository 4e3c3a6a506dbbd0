import { isIP } from 'node:net'
import type { z } from 'zod'
import { toAudiences, toOwnIssuer } from '../identity/audiences.ts'
import { isFetchUrl } from '../identity/fetch-url.ts'
import type { ClaimMapping } from '../identity/token-claims.ts'
import { environmentSchema, type logLevels } from './environment.ts'
import { readPublicKey } from './public-key.ts'
import { readSecretFiles } from './secret-files.ts'

/** Who runs this: one machine trying it out, a real installation, or the tests. Taken from `NODE_ENV`. */
export type Mode = 'demo' | 'production' | 'test'

/** Everything that can be set from outside, parsed once. */
export interface Config {
  readonly mode: Mode
  readonly host: string
  /** 0 lets the system choose. */
  readonly port: number
  /** Where the embedded database and the demo's keys live. */
  readonly dataDir: string
  /** Null: the embedded database in `dataDir`. */
  readonly databaseUrl: string | null
  /** Null: limits are counted in this process. */
  readonly redisUrl: string | null
  /** How clients reach this server, without a slash at the end; tokens are bound to it. */
  readonly publicUrl: string
  /** Requests a minute and caller. */
  readonly rateLimitMax: number
  readonly logLevel: (typeof logLevels)[number]
  /** Milliseconds that a server which is to stop serves on, not ready, before it takes no more connections. */
  readonly shutdownDelay: number
  /** Browser origins that may call, besides none. */
  readonly allowedOrigins: readonly string[]
  /** Whose X-Forwarded-* headers count: nobody's, everybody's, those of so many hops, or of these addresses. */
  readonly trustProxy: boolean | number | readonly string[]
  /**
   * Whether this process is the authorization server, too, at `/oauth`: in production and in the demo, unless another
   * one was named.
   */
  readonly authServer: boolean
  /** The `iss` of accepted tokens: the one that was named, else the built-in server's, else `publicUrl`. */
  readonly authIssuer: string
  /** An Ed25519 key in PEM; null where `authJwks` is set, and where tokens are signed here. */
  readonly authPublicKey: string | null
  /** The issuer's set of keys: its URL, or null where the issuer's metadata names it. Null: one key is all. */
  readonly authJwks: { readonly url: string | null } | null
  /** The `aud` of accepted tokens, for each of the two resources; their own URLs unless set. */
  readonly authAudiences: { readonly api: string; readonly mcp: string }
  readonly authMapping: ClaimMapping
  /**
   * Secrets that sign the questions which destructive tools ask: the first signs, all verify. Null outside
   * production, where the demo has its own.
   */
  readonly confirmationKeys: readonly string[] | null
  /**
   * Keys that secrets are sealed with at rest: the first seals, all open. Null outside production, where the demo
   * has its own.
   */
  readonly secretsKeys: readonly string[] | null
  /** Whether webhooks may go to private and loopback addresses, over plain http. For development. */
  readonly webhookAllowPrivate: boolean
  /** How agents are served: the way into the routes, and whether all tools are listed or searched for. */
  readonly mcp: { readonly dispatch: 'direct' | 'inject'; readonly listing: 'all' | 'search' }
  /** The largest message that is taken in, in bytes. */
  readonly maxMessageBytes: number
  /** How many days are kept e-mails and inboxes after they were deleted, and the record of who did what. */
  readonly retention: { readonly deletedDays: number; readonly auditDays: number }
  readonly smtp: SmtpConfig
  /** By which relay, and from whom, people are sent links. Null: not configured, and admins pass them on. */
  readonly mail: MailConfig | null
  readonly metrics: MetricsConfig
  /** Where spans are exported to, the path included; null: nowhere. The service's name, where one is set. */
  readonly tracing: { readonly url: string | null; readonly serviceName: string | null }
}

/** How mail to people leaves. */
export interface MailConfig {
  /** `smtp://` or `smtps://`, with user and password where the relay wants them. */
  readonly relayUrl: string
  readonly from: string
}

/** Where what this process counts can be read. Neither a port nor a token: nowhere, and nothing is counted. */
export interface MetricsConfig {
  /** Of a listener for it alone; 0 lets the system choose. */
  readonly port: number | null
  /** `host` unless set. */
  readonly host: string
  /** With one, `/metrics` is there on the API's own port, too. */
  readonly token: string | null
}

/** Where the worker takes mail in by SMTP. */
export interface SmtpConfig {
  /** Null: not set, and then production takes none in. */
  readonly port: number | null
  /** `host` unless set. */
  readonly host: string
  /** What it calls itself; the host of `publicUrl` unless set. */
  readonly name: string
  /** Clients at a time. */
  readonly maxClients: number
  /** PEM files, read by the listener; null: no TLS. */
  readonly certificate: { readonly certFile: string; readonly keyFile: string } | null
}

const neededInProduction = ['DATABASE_URL', 'PUBLIC_URL', 'CONFIRMATION_KEYS', 'SECRETS_KEY'] as const

/** What says nothing without the name of the server that it is about. */
const ofOutsideServer = [
  'AUTH_JWKS_URL',
  'AUTH_PUBLIC_KEY_FILE',
  'AUTH_AUDIENCE_API',
  'AUTH_AUDIENCE_MCP',
] as const

/**
 * Reads the configuration from environment variables, and from the files that name secrets (`DATABASE_URL_FILE`); an
 * empty one counts as absent. Throws one error that names every variable that is missing or wrong.
 */
export function parseConfig(env: NodeJS.ProcessEnv): Config {
  const secrets = readSecretFiles(env)
  const given = Object.fromEntries(Object.entries(secrets.env).filter(([, value]) => value !== ''))
  const parsed = environmentSchema.safeParse(given)
  const faults = [
    ...secrets.faults,
    ...(parsed.error?.issues.map(issue => `${issue.path.join('.')} ${issue.message}`) ?? []),
  ]
  if (given.NODE_ENV === 'production') {
    const missing = neededInProduction.filter(name => given[name] === undefined && !given[`${name}_FILE`])
    faults.push(...missing.map(name => `${name} is required in production`))
    const orphans = ofOutsideServer.filter(
      name => given[name] !== undefined && given.AUTH_ISSUER === undefined,
    )
    faults.push(
      ...orphans.map(name => `${name} is about an outside authorization server: name it in AUTH_ISSUER`),
    )
  }
  if (!parsed.success || faults.length > 0) throw refusal(faults)
  return toConfig(parsed.data)
}

function toConfig(environment: z.output<typeof environmentSchema>): Config {
  const publicUrl = environment.PUBLIC_URL ?? toUrl(environment.HOST, environment.PORT)
  const keyFile = environment.AUTH_PUBLIC_KEY_FILE
  const authServer = hasOwnServer(environment)
  return Object.freeze({
    mode: environment.NODE_ENV,
    host: environment.HOST,
    port: environment.PORT,
    dataDir: environment.DATA_DIR,
    databaseUrl: environment.DATABASE_URL ?? null,
    redisUrl: environment.REDIS_URL ?? null,
    publicUrl,
    rateLimitMax: environment.RATE_LIMIT_MAX,
    logLevel: environment.LOG_LEVEL,
    shutdownDelay: environment.SHUTDOWN_DELAY * 1_000,
    allowedOrigins: Object.freeze(environment.CORS_ORIGINS),
    trustProxy: environment.TRUST_PROXY,
    authServer,
    authIssuer: environment.AUTH_ISSUER ?? (authServer ? toOwnIssuer(publicUrl) : publicUrl),
    authPublicKey: keyFile === undefined ? null : readKey(keyFile),
    authJwks: toJwks(environment),
    authAudiences: toAcceptedAudiences(environment, publicUrl),
    authMapping: Object.freeze({
      user: environment.AUTH_USER_CLAIM,
      scope: environment.AUTH_SCOPE_CLAIM,
      scopePrefix: environment.AUTH_SCOPE_PREFIX,
    }),
    confirmationKeys: environment.CONFIRMATION_KEYS ? Object.freeze(environment.CONFIRMATION_KEYS) : null,
    secretsKeys: environment.SECRETS_KEY ? Object.freeze(environment.SECRETS_KEY) : null,
    webhookAllowPrivate: environment.WEBHOOK_ALLOW_PRIVATE,
    mcp: Object.freeze({ dispatch: environment.MCP_DISPATCH, listing: environment.MCP_LISTING }),
    maxMessageBytes: environment.MAX_MESSAGE_BYTES,
    retention: Object.freeze({
      deletedDays: environment.DELETED_RETENTION_DAYS,
      auditDays: environment.AUDIT_RETENTION_DAYS,
    }),
    smtp: toSmtpConfig(environment, publicUrl),
    mail: toMailConfig(environment),
    metrics: Object.freeze({
      port: environment.METRICS_PORT ?? null,
      host: environment.METRICS_HOST ?? environment.HOST,
      token: environment.METRICS_TOKEN ?? null,
    }),
    tracing: Object.freeze({
      url: toTracesUrl(environment),
      serviceName: environment.OTEL_SERVICE_NAME ?? null,
    }),
  })
}

/** Unless another server is named, or its keys, which a demo may have without its name. */
function hasOwnServer(environment: z.output<typeof environmentSchema>): boolean {
  const { NODE_ENV, AUTH_ISSUER, AUTH_JWKS_URL, AUTH_PUBLIC_KEY_FILE } = environment
  return NODE_ENV !== 'test' && (AUTH_ISSUER ?? AUTH_JWKS_URL ?? AUTH_PUBLIC_KEY_FILE) === undefined
}

/** One way to know the issuer's keys: a file, a set at a URL, or, in production, the set that its metadata names. */
function toJwks(environment: z.output<typeof environmentSchema>): Config['authJwks'] {
  const { NODE_ENV, AUTH_PUBLIC_KEY_FILE, AUTH_JWKS_URL, AUTH_ISSUER } = environment
  if (AUTH_JWKS_URL !== undefined) {
    if (AUTH_PUBLIC_KEY_FILE === undefined) return Object.freeze({ url: AUTH_JWKS_URL })
    throw refusal(['AUTH_JWKS_URL and AUTH_PUBLIC_KEY_FILE exclude each other'])
  }
  if (NODE_ENV !== 'production' || AUTH_PUBLIC_KEY_FILE !== undefined || AUTH_ISSUER === undefined)
    return null
  if (isFetchUrl(AUTH_ISSUER)) return Object.freeze({ url: null })
  throw refusal([
    'AUTH_ISSUER must be an https:// URL whose metadata names its keys, where neither AUTH_JWKS_URL nor AUTH_PUBLIC_KEY_FILE is set',
  ])
}

function toAcceptedAudiences(
  { AUTH_AUDIENCE_API, AUTH_AUDIENCE_MCP }: z.output<typeof environmentSchema>,
  publicUrl: string,
): Config['authAudiences'] {
  const own = toAudiences(publicUrl)
  const audiences = { api: AUTH_AUDIENCE_API ?? own.api, mcp: AUTH_AUDIENCE_MCP ?? own.mcp }
  // A token for one of them must be none for the other.
  if (audiences.api === audiences.mcp) throw refusal(['AUTH_AUDIENCE_API and AUTH_AUDIENCE_MCP must differ'])
  return Object.freeze(audiences)
}

function toSmtpConfig(environment: z.output<typeof environmentSchema>, publicUrl: string): SmtpConfig {
  const { SMTP_TLS_CERT_FILE: certFile, SMTP_TLS_KEY_FILE: keyFile } = environment
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw refusal(['SMTP_TLS_CERT_FILE and SMTP_TLS_KEY_FILE must be set together'])
  }
  return Object.freeze({
    port: environment.SMTP_PORT ?? null,
    host: environment.SMTP_HOST ?? environment.HOST,
    name: environment.SMTP_NAME ?? toMailName(new URL(publicUrl).hostname),
    maxClients: environment.SMTP_MAX_CLIENTS,
    certificate: certFile && keyFile ? Object.freeze({ certFile, keyFile }) : null,
  })
}

function toMailConfig({
  SMTP_RELAY_URL: relayUrl,
  MAIL_FROM: from,
}: z.output<typeof environmentSchema>): MailConfig | null {
  if ((relayUrl === undefined) !== (from === undefined)) {
    throw refusal(['SMTP_RELAY_URL and MAIL_FROM must be set together'])
  }
  return relayUrl && from ? Object.freeze({ relayUrl, from }) : null
}

/** The one is a base, the other is used as it is: OpenTelemetry, OTLP Exporter Configuration. */
function toTracesUrl(environment: z.output<typeof environmentSchema>): string | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces } = environment
  if (traces !== undefined) return traces
  return base === undefined ? null : `${base.replace(/\/+$/, '')}/v1/traces`
}

function readKey(file: string): string {
  try {
    return readPublicKey(file)
  } catch (error) {
    throw refusal([`AUTH_PUBLIC_KEY_FILE ${error instanceof Error ? error.message : String(error)}`])
  }
}

/** An address as RFC 5321, section 4.1.3, has it; names stay as they are. */
function toMailName(host: string): string {
  if (isIP(host) === 4) return `[${host}]`
  return host.startsWith('[') ? `[IPv6:${host.slice(1)}` : host
}

/** An address that listens everywhere is not one to connect to. */
function toUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

function refusal(faults: string[]): Error {
  return new Error(`The configuration cannot be used:\n${faults.map(fault => `  ${fault}`).join('\n')}`)
}
