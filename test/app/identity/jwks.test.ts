import { createHmac, generateKeyPairSync } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { test } from 'tap'
import { audiences, startApp } from '../plumbing/start-app.ts'
import { createIssuerKey, encode, startIssuer } from './issuer.ts'
import { moveClock } from './move-clock.ts'

const eddsa = createIssuerKey('EdDSA')
const es256 = createIssuerKey('ES256')
const rs256 = createIssuerKey('RS256')

test('tokens of an outside authorization server', async t => {
  const issuer = await startIssuer(t)
  issuer.keys = [eddsa.jwk, es256.jwk, rs256.jwk]
  const { app, people } = await startApp(t, {
    env: { AUTH_ISSUER: issuer.url, AUTH_JWKS_URL: issuer.jwksUrl, RATE_LIMIT_MAX: '100000' },
  })
  const claims = { ...toClaims(issuer.url), sub: people.ana }

  await t.test('are accepted with every algorithm, the keys fetched once', async t => {
    for (const key of [eddsa, es256, rs256, eddsa]) {
      t.equal(await status(app, key.sign(claims)), 200, key.algorithm)
    }
    t.same(issuer.asked, ['/keys'])
  })

  await t.test('are accepted whatever their type is called, if it is that of an access token', async t => {
    for (const typ of ['JWT', 'jwt', 'at+jwt', 'application/at+jwt', undefined]) {
      t.equal(await status(app, es256.sign(claims, { typ })), 200, typ ?? 'none')
    }
  })

  await t.test('may be off by five seconds and no more', async t => {
    // A machine that is busy takes its time between the making of a token and its check.
    const now = Math.floor(Date.now() / 1000)
    for (const [what, skewed, expected] of [
      ['expired just now', { exp: now - 1 }, 200],
      ['expired', { exp: now - 20 }, 401],
      ['valid in a moment', { nbf: now + 3 }, 200],
      ['valid later', { nbf: now + 60 }, 401],
      ['issued in a moment', { iat: now + 3 }, 200],
      ['issued later', { iat: now + 60 }, 401],
    ] as const) {
      t.equal(await status(app, rs256.sign({ ...claims, ...skewed })), expected, what)
    }
  })

  const stranger = createIssuerKey('ES256', es256.kid)
  const pem = rs256.publicKey.export({ type: 'spki', format: 'pem' })
  const hmac = (secret: string | Buffer) => {
    const input = `${encode({ alg: 'HS256', kid: rs256.kid })}.${encode(claims)}`
    return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
  }
  const body = encode(claims)
  const refused: Record<string, string> = {
    'no algorithm': `${encode({ alg: 'none', kid: rs256.kid })}.${body}.`,
    'HS256 keyed with the public key': hmac(pem),
    'HS256 keyed with the JWK': hmac(JSON.stringify(rs256.jwk)),
    'the algorithm of another key': rs256.sign(claims, { kid: es256.kid }),
    'an algorithm that is not accepted': rs256.sign(claims, { alg: 'RS512' }),
    'the key id of another key': stranger.sign(claims),
    'a key in its header': stranger.sign(claims, { jwk: stranger.jwk }),
    'a key id that is no text': es256.sign(claims, { kid: 1 }),
    'no key id, where there are several keys': es256.sign(claims, { kid: undefined }),
    'an unknown critical extension': es256.sign(claims, { crit: ['exp2'], exp2: 1 }),
    'the type of an identity token for another': es256.sign(claims, { typ: 'id+jwt' }),
    'another issuer': es256.sign({ ...claims, iss: `${issuer.url}/other` }),
    'another audience': es256.sign({ ...claims, aud: 'https://other.test/api' }),
    'the audience of /mcp': es256.sign({ ...claims, aud: audiences.mcp }),
    'a subject with NUL': es256.sign({ ...claims, sub: `${people.ana}\0` }),
    'a lone surrogate': es256.sign({ ...claims, client_id: '\ud800' }),
    nobody: es256.sign({ ...claims, sub: 'usr_00000000000000000000000000' }),
  }
  for (const [what, token] of Object.entries(refused)) {
    await t.test(`are refused with ${what}`, async t => t.equal(await status(app, token), 401))
  }

  await t.test('with key ids that are made up cost few questions', async t => {
    const before = issuer.asked.length
    for (let at = 0; at < 20; at++) {
      t.equal(await status(app, es256.sign(claims, { kid: `made-up-${at}` })), 401)
    }
    t.ok(issuer.asked.length - before <= 1, `${issuer.asked.length - before} questions`)
  })
})

test('keys that are rotated need no restart', async t => {
  const issuer = await startIssuer(t)
  const [old, next] = [createIssuerKey('EdDSA'), createIssuerKey('RS256')]
  issuer.keys = [old.jwk]
  const { app, people } = await startApp(t, {
    env: { AUTH_ISSUER: issuer.url, AUTH_JWKS_URL: issuer.jwksUrl },
  })
  const claims = { ...toClaims(issuer.url), sub: people.bia }
  const advance = moveClock(t)
  t.equal(await status(app, old.sign(claims)), 200)
  issuer.keys = [old.jwk, next.jwk]
  advance(11_000)
  t.equal(await status(app, next.sign(claims)), 200, 'the new key is asked for when it is met')
  t.equal(await status(app, old.sign(claims)), 200, 'the old one is good as long as it is published')
  issuer.keys = [next.jwk]
  advance(11_000)
  t.equal(await status(app, old.sign(claims, { kid: 'made up' })), 401)
  t.equal(await status(app, old.sign(claims)), 401, 'and no longer, though its tokens had been accepted')
  issuer.keys = []
  advance(601_000)
  t.equal(await status(app, next.sign(claims)), 200, 'keys are asked for again in the background')
  await waitFor(async () => (await status(app, next.sign(claims))) === 401)
})

test('an issuer that is away', async t => {
  const issuer = await startIssuer(t)
  issuer.keys = [eddsa.jwk]
  const env = { AUTH_ISSUER: issuer.url, AUTH_JWKS_URL: issuer.jwksUrl }
  issuer.misbehave = response => response.writeHead(500).end()
  const { app, people } = await startApp(t, { env })
  const claims = { ...toClaims(issuer.url), sub: people.bia }
  const advance = moveClock(t)

  await t.test(
    'does not keep the server from starting; tokens cannot be judged, and that is said',
    async t => {
      for (const [url, method] of [
        ['/api/v1/me', 'GET'],
        ['/mcp', 'POST'],
      ] as const) {
        const headers = { authorization: `Bearer ${eddsa.sign(claims)}` }
        const answer = await app.inject({ url, method, headers, ...(method === 'POST' && { payload: {} }) })
        t.equal(answer.statusCode, 503)
        t.match(answer.headers['retry-after'], /^\d+$/)
        t.match(answer.json(), { code: 'unavailable' })
      }
      t.equal((await app.inject('/api/v1/me')).statusCode, 401, 'without a token nothing is to be judged')
      t.equal(await status(app, 'abc'), 401)
      t.equal(issuer.asked.length, 1)
    },
  )

  for (const [what, misbehave] of [
    ['a redirect', response => response.writeHead(302, { location: issuer.jwksUrl }).end()],
    ['what is no JSON', response => response.end('<html>')],
    ['what is no set of keys', response => response.end('{"keys":1}')],
    ['too much', response => response.end(`{"keys":[],"x":"${'x'.repeat(300_000)}"}`)],
  ] as [string, NonNullable<typeof issuer.misbehave>][]) {
    await t.test(`is away as well when it answers with ${what}`, async t => {
      issuer.misbehave = misbehave
      advance(11_000)
      t.equal(await status(app, eddsa.sign(claims)), 503)
    })
  }

  await t.test(
    'is asked again after a while, and once keys are known they outlast the next outage',
    async t => {
      issuer.misbehave = null
      advance(11_000)
      t.equal(await status(app, eddsa.sign(claims)), 200)
      issuer.misbehave = response => response.destroy()
      advance(3_600_000)
      const later = { ...claims, exp: claims.exp + 7_200 }
      t.equal(await status(app, eddsa.sign(later)), 200)
      t.equal(await status(app, eddsa.sign(later, { kid: 'unknown' })), 401)
    },
  )
})

test('keys that cannot be trusted are none', async t => {
  const issuer = await startIssuer(t)
  const { app, people } = await startApp(t, {
    env: { AUTH_ISSUER: issuer.url, AUTH_JWKS_URL: issuer.jwksUrl },
  })
  const claims = { ...toClaims(issuer.url), sub: people.bia }
  const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' })
  const secret = { kty: 'oct', kid: 'oct', k: Buffer.from('a secret').toString('base64url'), alg: 'HS256' }
  const encrypting = { ...createIssuerKey('RS256', 'enc').jwk, use: 'enc' }
  const named = createIssuerKey('RS256', 'other-alg')
  const good = createIssuerKey('ES256', null)
  issuer.keys = [
    { ...short, kid: 'short' },
    secret,
    encrypting,
    { ...named.jwk, alg: 'RS512' },
    { kty: 'EC', crv: 'P-256', x: 'broken', y: 'broken', kid: 'broken' },
    good.jwk,
  ]
  const input = `${encode({ alg: 'HS256', kid: 'oct' })}.${encode(claims)}`
  const symmetric = `${input}.${createHmac('sha256', 'a secret').update(input).digest('base64url')}`
  t.equal(await status(app, symmetric), 401)
  t.equal(await status(app, named.sign(claims)), 401)
  t.equal(await status(app, good.sign(claims)), 200, 'the only one that is left needs no key id')
})

test('the keys are found through the metadata of the issuer, which must be its own', async t => {
  const issuer = await startIssuer(t, '/realms/acme')
  issuer.keys = [eddsa.jwk]
  const { app, people } = await startApp(t, {
    config: { authIssuer: issuer.url, authJwks: { url: null } },
  })
  const claims = { ...toClaims(issuer.url), sub: people.bia }
  t.equal(await status(app, eddsa.sign(claims)), 200)
  t.same(issuer.asked, [
    '/.well-known/oauth-authorization-server/realms/acme',
    '/realms/acme/.well-known/openid-configuration',
    '/keys',
  ])
  const impostor = await startApp(t, {
    config: { authIssuer: `${issuer.url}/`, authJwks: { url: null } },
  })
  t.equal(await status(impostor.app, eddsa.sign({ ...claims, iss: `${issuer.url}/` })), 503)
})

function toClaims(issuer: string) {
  const now = Math.floor(Date.now() / 1000)
  return { iss: issuer, aud: audiences.api, scope: 'emails:read', iat: now, exp: now + 3_600 }
}

async function status(app: FastifyInstance, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  return (await app.inject({ url: '/api/v1/me', headers })).statusCode
}

async function waitFor(isSo: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (await isSo()) return
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  throw new Error('it never happened')
}
