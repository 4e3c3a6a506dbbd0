import { isIP } from 'node:net'
import { toAudiences, toOwnIssuer } from '../identity/audiences.ts'
import { isFetchUrl } from '../identity/fetch-url.ts'
import type { Config, MailConfig, SmtpConfig } from './config.ts'
import type { Environment } from './environment.ts'
import { readPublicKey } from './public-key.ts'
import { refusal } from './refusal.ts'

/** The configuration of parsed variables. Throws, as `parseConfig` does, for those that do not go together. */
export function toConfig(environment: Environment): Config {
  const publicUrl = environment.PUBLIC_URL ?? toUrl(environment.HOST, environment.PORT)
  const keyFile = environment.AUTH_PUBLIC_KEY_FILE
  const authOutside = namesOutsideServer(environment)
  const authServer = environment.NODE_ENV !== 'test' && !authOutside
  return Object.freeze({
    mode: environment.NODE_ENV,
    host: environment.HOST,
    port: environment.PORT,
    dataDir: environment.DATA_DIR,
    databaseUrl: environment.DATABASE_URL ?? null,
    redisUrl: environment.REDIS_URL ?? null,
    publicUrl,
    rateLimitMax: environment.RATE_LIMIT_MAX,
    passwordCost: environment.PASSWORD_COST,
    logLevel: environment.LOG_LEVEL,
    shutdownDelay: environment.SHUTDOWN_DELAY * 1_000,
    allowedOrigins: Object.freeze(environment.CORS_ORIGINS),
    trustProxy: environment.TRUST_PROXY,
    authServer,
    authOutside,
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

/** By itself or by its keys, which a demo may have without its name. */
function namesOutsideServer({ AUTH_ISSUER, AUTH_JWKS_URL, AUTH_PUBLIC_KEY_FILE }: Environment): boolean {
  return (AUTH_ISSUER ?? AUTH_JWKS_URL ?? AUTH_PUBLIC_KEY_FILE) !== undefined
}

/** One way to know the issuer's keys: a file, a set at a URL, or, in production, the set that its metadata names. */
function toJwks(environment: Environment): Config['authJwks'] {
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
  { AUTH_AUDIENCE_API, AUTH_AUDIENCE_MCP }: Environment,
  publicUrl: string,
): Config['authAudiences'] {
  const own = toAudiences(publicUrl)
  const audiences = { api: AUTH_AUDIENCE_API ?? own.api, mcp: AUTH_AUDIENCE_MCP ?? own.mcp }
  // A token for one of them must be none for the other.
  if (audiences.api === audiences.mcp) throw refusal(['AUTH_AUDIENCE_API and AUTH_AUDIENCE_MCP must differ'])
  return Object.freeze(audiences)
}

function toSmtpConfig(environment: Environment, publicUrl: string): SmtpConfig {
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

function toMailConfig({ SMTP_RELAY_URL: relayUrl, MAIL_FROM: from }: Environment): MailConfig | null {
  if ((relayUrl === undefined) !== (from === undefined)) {
    throw refusal(['SMTP_RELAY_URL and MAIL_FROM must be set together'])
  }
  return relayUrl && from ? Object.freeze({ relayUrl, from }) : null
}

/** The one is a base, the other is used as it is: OpenTelemetry, OTLP Exporter Configuration. */
function toTracesUrl(environment: Environment): string | null {
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
