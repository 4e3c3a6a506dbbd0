import { isIP } from 'node:net'
import { z } from 'zod'
import { personalAddress } from '../fields/email-address.ts'
import { isFetchUrl } from '../identity/fetch-url.ts'
import { defaultPasswordCost } from '../passwords/hash-password.ts'

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const list = z.string().transform(text =>
  text
    .split(',')
    .map(entry => entry.trim())
    .filter(entry => entry !== ''),
)

/** The environment variables that are read, by name. A message continues the name: `PORT must be …`. */
export const environmentSchema = z.object({
  NODE_ENV: z.string().optional().transform(toMode),
  HOST: z.string().default('127.0.0.1'),
  PORT: integer(0, 65_535).default(3000),
  DATA_DIR: z.string().default('.data'),
  DATABASE_URL: z
    .string()
    .refine(isUrlOf('postgres:', 'postgresql:'), 'must be a postgres:// URL')
    .optional(),
  REDIS_URL: z.string().refine(isUrlOf('redis:', 'rediss:'), 'must be a redis:// URL').optional(),
  PUBLIC_URL: z
    .string()
    .refine(isPublicUrl, 'must be an http:// or https:// URL without query or fragment')
    .transform(url => url.replace(/\/+$/, ''))
    .optional(),
  RATE_LIMIT_MAX: integer(1, 1_000_000).default(600),
  PASSWORD_COST: integer(defaultPasswordCost, 18).default(defaultPasswordCost),
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
  SHUTDOWN_DELAY: integer(0, 300).default(0),
  METRICS_PORT: integer(0, 65_535).optional(),
  METRICS_HOST: z.string().optional(),
  METRICS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,}$/, 'must be at least 16 visible characters')
    .optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.string().refine(isUrlOf('http:', 'https:'), 'must be a URL').optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z
    .string()
    .refine(isUrlOf('http:', 'https:'), 'must be a URL')
    .optional(),
  OTEL_SERVICE_NAME: z.string().max(200).optional(),
  CORS_ORIGINS: list
    .refine(origins => origins.every(isOrigin), 'must be origins like https://app.example.com, comma between')
    .default([]),
  TRUST_PROXY: z
    .string()
    .transform(toTrust)
    .refine(trust => trust !== null, 'must be true, false, a number of hops or addresses with comma between')
    .default(false),
  AUTH_ISSUER: z.string().optional(),
  AUTH_PUBLIC_KEY_FILE: z.string().optional(),
  AUTH_JWKS_URL: z
    .string()
    .refine(isFetchUrl, 'must be an https:// URL, or an http:// one of this machine')
    .optional(),
  AUTH_AUDIENCE_API: z.string().max(2000).optional(),
  AUTH_AUDIENCE_MCP: z.string().max(2000).optional(),
  AUTH_USER_CLAIM: z.string().max(200).default('sub'),
  AUTH_SCOPE_CLAIM: z.string().max(200).default('scope'),
  // RFC 6749, section 3.3: what a scope is made of. It is told to clients in a header.
  AUTH_SCOPE_PREFIX: z
    .string()
    .max(200)
    .regex(/^[\x21\x23-\x5b\x5d-\x7e]*$/, 'must be printable ASCII without blanks, quotes and backslashes')
    .default(''),
  CONFIRMATION_KEYS: list
    .refine(
      keys => keys.length > 0 && keys.every(key => key.length >= 32),
      'must be secrets of at least 32 characters each, comma between',
    )
    .optional(),
  SECRETS_KEY: list
    .refine(
      keys => keys.length > 0 && keys.every(key => key.length >= 32),
      'must be a key of at least 32 characters, or several with comma between',
    )
    .optional(),
  WEBHOOK_ALLOW_PRIVATE: z
    .enum(['true', 'false'], 'must be true or false')
    .transform(value => value === 'true')
    .default(false),
  MCP_DISPATCH: z.enum(['direct', 'inject'], 'must be direct or inject').default('direct'),
  MCP_LISTING: z.enum(['all', 'search'], 'must be all or search').default('all'),
  MAX_MESSAGE_BYTES: integer(1024, 104_857_600).default(26_214_400),
  DELETED_RETENTION_DAYS: integer(0, 3_650).default(7),
  AUDIT_RETENTION_DAYS: integer(1, 36_500).default(365),
  SMTP_PORT: integer(0, 65_535).optional(),
  SMTP_HOST: z.string().optional(),
  SMTP_NAME: z
    .string()
    .regex(/^(?=.{1,253}$)[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i, 'must be a host name such as mx.example.com')
    .optional(),
  SMTP_MAX_CLIENTS: integer(1, 10_000).default(100),
  SMTP_TLS_CERT_FILE: z.string().optional(),
  SMTP_TLS_KEY_FILE: z.string().optional(),
  SMTP_RELAY_URL: z
    .string()
    .refine(isUrlOf('smtp:', 'smtps:'), 'must be a smtp:// or smtps:// URL')
    .optional(),
  MAIL_FROM: z
    .string()
    .trim()
    .refine(isMailbox, 'must be an address, or a name and an address like Acme <people@acme.example>')
    .optional(),
})

/** What they are parsed to. */
export type Environment = z.output<typeof environmentSchema>

function toMode(value: string | undefined): 'demo' | 'production' | 'test' {
  return value === 'production' || value === 'test' ? value : 'demo'
}

function integer(minimum: number, maximum: number) {
  const message = `must be an integer from ${minimum} to ${maximum}`
  return z
    .string()
    .regex(/^\d{1,12}$/, message)
    .transform(Number)
    .refine(value => value >= minimum && value <= maximum, message)
}

function isUrlOf(...protocols: string[]): (text: string) => boolean {
  return text => URL.canParse(text) && protocols.includes(new URL(text).protocol)
}

function isPublicUrl(text: string): boolean {
  return isUrlOf('http:', 'https:')(text) && !/[?#]/.test(text)
}

function isMailbox(text: string): boolean {
  const [, address = text] = /^[^<>"\p{Cc}]{1,100} <([^<>]+)>$/u.exec(text) ?? []
  return personalAddress.safeParse(address).success
}

function isOrigin(text: string): boolean {
  return isUrlOf('http:', 'https:')(text) && new URL(text).origin === text
}

function toTrust(text: string): boolean | number | string[] | null {
  if (text === 'true' || text === 'false') return text === 'true'
  if (/^\d{1,2}$/.test(text)) return Number(text)
  const addresses = text.split(',').map(entry => entry.trim())
  return addresses.every(isAddressOrRange) ? addresses : null
}

function isAddressOrRange(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}
