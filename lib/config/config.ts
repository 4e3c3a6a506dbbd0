import type { ClaimMapping } from '../identity/token-claims.ts'
import { environmentSchema, type logLevels } from './environment.ts'
import { refusal } from './refusal.ts'
import { readSecretFiles } from './secret-files.ts'
import { toConfig } from './to-config.ts'

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
  /** Binary logarithm of scrypt's N, for the passwords that are hashed from now on. */
  readonly passwordCost: number
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
  /** Whether people log in at another server: then they have no passwords here, and no links to set one. */
  readonly authOutside: boolean
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
  'AUTH_USER_CLAIM',
  'AUTH_SCOPE_CLAIM',
  'AUTH_SCOPE_PREFIX',
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
