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
    DATABASE_URL: 'mysql://localhost',
    REDIS_URL: 'localhost:6379',
    PUBLIC_URL: 'ftp://example.com',
    CORS_ORIGINS: 'https://app.example.com/path',
    TRUST_PROXY: 'everybody',
    MAX_MESSAGE_BYTES: '-1',
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
  for (const name of ['DATABASE_URL', 'PUBLIC_URL', 'AUTH_ISSUER', 'AUTH_PUBLIC_KEY_FILE']) {
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
    logLevel: 'info',
    allowedOrigins: [],
    trustProxy: false,
    authIssuer: 'http://127.0.0.1:3000',
    authPublicKey: null,
    maxMessageBytes: 26_214_400,
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
    CORS_ORIGINS: 'https://app.example.com, http://localhost:5173',
    TRUST_PROXY: '10.0.0.0/8,::1,loopback',
  })
  t.match(config, {
    mode: 'production',
    databaseUrl: 'postgres://inbox@db.example.com/inbox',
    authIssuer: 'https://login.example.com',
    authPublicKey: pem,
    allowedOrigins: ['https://app.example.com', 'http://localhost:5173'],
    trustProxy: ['10.0.0.0/8', '::1', 'loopback'],
  })
  t.ok(Object.isFrozen(config))
})

test('a proxy is trusted by yes, no, hops or address', async t => {
  t.equal(parseConfig({ TRUST_PROXY: 'true' }).trustProxy, true)
  t.equal(parseConfig({ TRUST_PROXY: 'false' }).trustProxy, false)
  t.equal(parseConfig({ TRUST_PROXY: '2' }).trustProxy, 2)
  t.match(refusal({ TRUST_PROXY: '10.0.0.0/33' }), 'TRUST_PROXY')
})

function refusal(env: NodeJS.ProcessEnv): string {
  try {
    parseConfig(env)
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
  throw new Error('the configuration was accepted')
}
