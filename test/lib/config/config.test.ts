import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { parseConfig } from '../../../lib/config/config.ts'

test('every wrong variable is named in one error', async t => {
  const wrong = {
    PORT: '70000',
    RATE_LIMIT_MAX: '0',
    LOG_LEVEL: 'loud',
    SHUTDOWN_DELAY: '301',
    METRICS_PORT: '65536',
    METRICS_TOKEN: 'short',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'grpc://collector',
    DATABASE_URL: 'mysql://localhost',
    REDIS_URL: 'localhost:6379',
    PUBLIC_URL: 'ftp://example.com',
    CORS_ORIGINS: 'https://app.example.com/path',
    AUTH_JWKS_URL: 'http://id.example.com/keys',
    TRUST_PROXY: 'everybody',
    MAX_MESSAGE_BYTES: '-1',
    MCP_DISPATCH: 'loopback',
    MCP_LISTING: 'some',
    CONFIRMATION_KEYS: `${'a'.repeat(32)},short`,
    SECRETS_KEY: `${'a'.repeat(32)},short`,
    WEBHOOK_ALLOW_PRIVATE: 'yes',
    DELETED_RETENTION_DAYS: '-1',
    AUDIT_RETENTION_DAYS: '0',
    SMTP_PORT: '65536',
    SMTP_NAME: 'mx example',
    SMTP_MAX_CLIENTS: '0',
    SMTP_RELAY_URL: 'https://relay.example',
    MAIL_FROM: 'Acme',
  }
  const message = refusal(wrong)
  for (const name of Object.keys(wrong)) t.match(message, new RegExp(`^ {2}${name} must be `, 'm'))
})

test('numbers are plain decimal integers', async t => {
  for (const PORT of ['3e3', '0x10', ' 80', '80.5', '١', '-1', '99999999999999999999']) {
    t.match(refusal({ PORT }), 'PORT must be an integer from 0 to 65535')
  }
})

test('production names everything that is missing at once', async t => {
  const message = refusal({ NODE_ENV: 'production', AUTH_ISSUER: '', PORT: 'x' })
  for (const name of ['DATABASE_URL', 'PUBLIC_URL', 'CONFIRMATION_KEYS', 'SECRETS_KEY']) {
    t.match(message, `${name} is required in production`)
  }
  t.match(message, 'PORT must be')
})

test('a key file that is missing, private, of another kind or no key is refused by name', async t => {
  const directory = t.testdir({ 'nonsense.pem': 'hello' })
  const ed25519 = generateKeyPairSync('ed25519')
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  writeFileSync(join(directory, 'private.pem'), ed25519.privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(join(directory, 'rsa.pem'), rsa.publicKey.export({ type: 'spki', format: 'pem' }))
  for (const file of ['absent.pem', 'nonsense.pem', 'private.pem', 'rsa.pem']) {
    t.match(refusal({ AUTH_PUBLIC_KEY_FILE: join(directory, file) }), 'AUTH_PUBLIC_KEY_FILE ', file)
  }
})

test('without an AUTH_ISSUER the server is its own, and what is about another one is refused by name', async t => {
  const production = {
    NODE_ENV: 'production',
    DATABASE_URL: 'postgres://inbox@db.example.com/inbox',
    PUBLIC_URL: 'https://inbox.example.com/',
    CONFIRMATION_KEYS: 'n'.repeat(32),
    SECRETS_KEY: 's'.repeat(32),
  }
  const own = { authServer: true, authIssuer: 'https://inbox.example.com/oauth', authJwks: null }
  t.match(parseConfig(production), own)
  t.match(parseConfig({ ...production, NODE_ENV: 'test' }), { authServer: false, authOutside: false })
  const outside = { ...production, AUTH_ISSUER: 'https://login.example.com' }
  t.match(parseConfig(outside), {
    authServer: false,
    authOutside: true,
    authIssuer: 'https://login.example.com',
  })
  const values = {
    AUTH_JWKS_URL: 'https://login.example.com/keys',
    AUTH_PUBLIC_KEY_FILE: 'key.pem',
    AUTH_AUDIENCE_API: 'api',
    AUTH_AUDIENCE_MCP: 'mcp',
    AUTH_USER_CLAIM: 'email',
    AUTH_SCOPE_CLAIM: 'scp',
    AUTH_SCOPE_PREFIX: 'inbox/',
  }
  for (const [name, value] of Object.entries(values)) {
    t.match(refusal({ ...production, [name]: value }), `${name} is about an outside`)
  }
})

test('a prefix of scopes is one that a header can carry', t => {
  for (const prefix of ['a b', 'a"', 'a\\', 'á', 'a\n'])
    t.match(refusal({ AUTH_SCOPE_PREFIX: prefix }), 'AUTH_SCOPE_PREFIX must be printable ASCII', prefix)
  t.equal(parseConfig({ AUTH_SCOPE_PREFIX: 'api://inbox/' }).authMapping.scopePrefix, 'api://inbox/')
  t.end()
})

test('what a password costs is never less than the default', t => {
  for (const cost of ['14', '19', 'high', '15.5'])
    t.match(refusal({ PASSWORD_COST: cost }), 'PASSWORD_COST must be', cost)
  t.equal(parseConfig({ PASSWORD_COST: '17' }).passwordCost, 17)
  t.end()
})

test('nothing set gives the demo on this machine', async t => {
  t.strictSame(parseConfig({}), {
    mode: 'demo',
    host: '127.0.0.1',
    port: 3000,
    dataDir: '.data',
    databaseUrl: null,
    redisUrl: null,
    publicUrl: 'http://127.0.0.1:3000',
    rateLimitMax: 600,
    passwordCost: 15,
    logLevel: 'info',
    shutdownDelay: 0,
    allowedOrigins: [],
    trustProxy: false,
    authServer: true,
    authOutside: false,
    authIssuer: 'http://127.0.0.1:3000/oauth',
    authPublicKey: null,
    authJwks: null,
    authAudiences: { api: 'http://127.0.0.1:3000/api/v1', mcp: 'http://127.0.0.1:3000/mcp' },
    authMapping: { user: 'sub', scope: 'scope', scopePrefix: '' },
    confirmationKeys: null,
    secretsKeys: null,
    webhookAllowPrivate: false,
    mcp: { dispatch: 'direct', listing: 'all' },
    maxMessageBytes: 26_214_400,
    retention: { deletedDays: 7, auditDays: 365 },
    smtp: { port: null, host: '127.0.0.1', name: '[127.0.0.1]', maxClients: 100, certificate: null },
    mail: null,
    metrics: { port: null, host: '127.0.0.1', token: null },
    tracing: { url: null, serviceName: null },
  })
})

test('an empty variable counts as absent', async t => {
  t.strictSame(parseConfig({ PORT: '', DATABASE_URL: '', CORS_ORIGINS: '', LOG_LEVEL: '' }), parseConfig({}))
})

test('the public URL follows host and port unless it is set', async t => {
  t.equal(parseConfig({ HOST: '0.0.0.0', PORT: '80' }).publicUrl, 'http://127.0.0.1:80')
  t.equal(parseConfig({ HOST: '::1' }).publicUrl, 'http://[::1]:3000')
  t.equal(
    parseConfig({ PUBLIC_URL: 'https://inbox.example.com/base//' }).publicUrl,
    'https://inbox.example.com/base',
  )
})

test('production with everything it needs starts', async t => {
  const pem = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const file = join(t.testdir({ 'public.pem': pem }), 'public.pem')
  const config = parseConfig({
    NODE_ENV: 'production',
    DATABASE_URL: 'postgres://inbox@db.example.com/inbox',
    PUBLIC_URL: 'https://inbox.example.com',
    AUTH_ISSUER: 'https://login.example.com',
    AUTH_PUBLIC_KEY_FILE: file,
    CONFIRMATION_KEYS: `${'n'.repeat(32)}, ${'o'.repeat(40)}`,
    SECRETS_KEY: `${'s'.repeat(32)},${'t'.repeat(32)}`,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    CORS_ORIGINS: 'https://app.example.com, http://localhost:5173',
    TRUST_PROXY: '10.0.0.0/8,::1,loopback',
  })
  t.match(config, {
    mode: 'production',
    databaseUrl: 'postgres://inbox@db.example.com/inbox',
    authIssuer: 'https://login.example.com',
    authPublicKey: pem,
    confirmationKeys: ['n'.repeat(32), 'o'.repeat(40)],
    secretsKeys: ['s'.repeat(32), 't'.repeat(32)],
    webhookAllowPrivate: true,
    allowedOrigins: ['https://app.example.com', 'http://localhost:5173'],
    trustProxy: ['10.0.0.0/8', '::1', 'loopback'],
  })
  t.ok(Object.isFrozen(config))
})

test('the keys of the issuer come from a file, from a URL, or from its metadata, which must be over TLS', async t => {
  const production = {
    NODE_ENV: 'production',
    DATABASE_URL: 'postgres://inbox@db.example.com/inbox',
    PUBLIC_URL: 'https://inbox.example.com',
    AUTH_ISSUER: 'https://login.example.com/realms/acme',
    CONFIRMATION_KEYS: 'n'.repeat(32),
    SECRETS_KEY: 's'.repeat(32),
  }
  const AUTH_JWKS_URL = 'https://login.example.com/keys'
  t.match(parseConfig(production), { authJwks: { url: null }, authPublicKey: null })
  t.match(parseConfig({ ...production, AUTH_JWKS_URL }), { authJwks: { url: AUTH_JWKS_URL } })
  t.match(refusal({ ...production, AUTH_ISSUER: 'http://login.example.com' }), 'AUTH_ISSUER must be an https')
  t.match(refusal({ ...production, AUTH_ISSUER: 'login' }), 'AUTH_ISSUER must be an https')
  const both = { ...production, AUTH_JWKS_URL, AUTH_PUBLIC_KEY_FILE: 'key.pem' }
  t.match(refusal({ ...both, NODE_ENV: '' }), 'AUTH_PUBLIC_KEY_FILE')
  for (const url of ['http://127.0.0.1:8080/keys', 'http://localhost/keys', 'http://[::1]/keys']) {
    t.equal(parseConfig({ AUTH_JWKS_URL: url }).authJwks?.url, url)
  }
  for (const url of [
    'http://127.0.0.1.evil.test/',
    'http://10.0.0.1/',
    'https://a:b@id.test/',
    'file:///k',
  ]) {
    t.match(refusal({ AUTH_JWKS_URL: url }), 'AUTH_JWKS_URL must be', url)
  }
})

test('claims and audiences of the issuer are its own, and a token for one API is none for the other', async t => {
  const given = { AUTH_USER_CLAIM: 'email', AUTH_SCOPE_CLAIM: 'scp', AUTH_SCOPE_PREFIX: 'inbox/' }
  t.same(parseConfig(given).authMapping, { user: 'email', scope: 'scp', scopePrefix: 'inbox/' })
  t.match(parseConfig({ AUTH_AUDIENCE_MCP: 'x' }).authAudiences, { mcp: 'x', api: /api\/v1$/ })
  const same = { AUTH_AUDIENCE_API: 'x', AUTH_AUDIENCE_MCP: 'x' }
  t.match(refusal(same), 'AUTH_AUDIENCE_API and AUTH_AUDIENCE_MCP must differ')
})

test('a proxy is trusted by yes, no, hops or address', async t => {
  t.equal(parseConfig({ TRUST_PROXY: 'true' }).trustProxy, true)
  t.equal(parseConfig({ TRUST_PROXY: 'false' }).trustProxy, false)
  t.equal(parseConfig({ TRUST_PROXY: '2' }).trustProxy, 2)
  t.match(refusal({ TRUST_PROXY: '10.0.0.0/33' }), 'TRUST_PROXY')
})

test('mail is taken in under the name of the public URL, and a certificate comes with its key', async t => {
  const given = { HOST: '10.0.0.1', PUBLIC_URL: 'https://inbox.example.com:8443/base', SMTP_PORT: '25' }
  t.match(parseConfig(given).smtp, { port: 25, host: '10.0.0.1', name: 'inbox.example.com' })
  t.equal(parseConfig({ PUBLIC_URL: 'http://[::1]:3000' }).smtp.name, '[IPv6:::1]')
  const named = parseConfig({ ...given, SMTP_HOST: '::', SMTP_NAME: 'mx.example.com', SMTP_MAX_CLIENTS: '7' })
  t.match(named.smtp, { host: '::', name: 'mx.example.com', maxClients: 7 })
  const files = { SMTP_TLS_CERT_FILE: '/etc/mx.pem', SMTP_TLS_KEY_FILE: '/etc/mx.key' }
  t.same(parseConfig(files).smtp.certificate, { certFile: '/etc/mx.pem', keyFile: '/etc/mx.key' })
  for (const SMTP of [{ SMTP_TLS_CERT_FILE: 'a' }, { SMTP_TLS_KEY_FILE: 'a' }]) {
    t.match(refusal(SMTP), 'SMTP_TLS_CERT_FILE and SMTP_TLS_KEY_FILE must be set together')
  }
})

function refusal(env: NodeJS.ProcessEnv): string {
  try {
    parseConfig(env)
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
  throw new Error('the configuration was accepted')
}
