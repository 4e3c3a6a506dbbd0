import { createHmac, sign } from 'node:crypto'
import type { LightMyRequestResponse } from 'fastify'
import { type Test, test } from 'tap'
import { allScopes } from '../../../lib/identity/scopes.ts'
import { audiences, bearer, keys, publicUrl, startApp } from './start-app.ts'

test('access tokens', async t => {
  const { app, database, people } = await startApp(t, { env: { RATE_LIMIT_MAX: '100000' } })
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: publicUrl,
    aud: audiences.api,
    sub: people.ana,
    client_id: 'test-client',
    scope: allScopes.join(' '),
    iat: now,
    exp: now + 600,
    jti: 'one',
  }
  const get = (headers: Record<string, string>) => app.inject({ url: '/api/v1/me', headers })
  const withToken = (token: string) => get({ authorization: `Bearer ${token}` })
  const ping = (headers: Record<string, string>) =>
    app.inject({ method: 'POST', url: '/mcp', headers, payload: { jsonrpc: '2.0', id: 1, method: 'ping' } })

  t.test('a good one is accepted, whatever the case of the scheme', async t => {
    const answer = await withToken(forge({ alg: 'EdDSA' }, claims))
    t.equal(answer.statusCode, 200)
    t.equal(answer.json().data.id, people.ana)
    const { authorization } = bearer(people.ana)
    t.equal((await get({ authorization: authorization.replace('Bearer', 'bEARER') })).statusCode, 200)
  })

  t.test('without one, the challenge names the metadata and the scopes, and no error', async t => {
    const answer = await app.inject('/api/v1/inboxes')
    isRefused(t, answer)
    t.equal(
      answer.headers['www-authenticate'],
      `Bearer resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/api/v1", scope="inboxes:read"`,
    )
  })

  t.test('with a bad one, the challenge says so', async t => {
    const answer = await withToken('abc')
    isRefused(t, answer)
    t.match(answer.headers['www-authenticate'], /^Bearer error="invalid_token", resource_metadata="/)
  })

  const { aud: _aud, ...withoutAudience } = claims
  const { iss: _iss, ...withoutIssuer } = claims
  const { sub: _sub, ...withoutSubject } = claims
  const { exp: _exp, ...withoutExpiry } = claims
  const { jti: _jti, ...withoutId } = claims
  const good = forge({ alg: 'EdDSA' }, claims)
  const [head = '', body = '', signature = ''] = good.split('.')
  const other = encode({ ...claims, sub: people.leo })
  const forged: Record<string, string> = {
    'alg none, without a signature': `${encode({ alg: 'none', typ: 'JWT' })}.${body}.`,
    'alg None with the old signature': `${encode({ alg: 'None' })}.${body}.${signature}`,
    'HS256 keyed with the public key': hmac({ alg: 'HS256', typ: 'JWT' }, claims),
    'an algorithm that does not exist': `${encode({ alg: 'XX' })}.${body}.${signature}`,
    'no signature': `${head}.${body}.`,
    'another payload under the same signature': `${head}.${other}.${signature}`,
    'a key of its own in the header': forge({ alg: 'EdDSA', jwk: { kty: 'OKP' } }, { ...claims, aud: 'x' }),
    'a critical extension nobody knows': forge({ alg: 'EdDSA', crit: ['b64'], b64: false }, claims),
    'an empty list of critical extensions': forge({ alg: 'EdDSA', crit: [] }, claims),
    'another issuer': forge({ alg: 'EdDSA' }, { ...claims, iss: 'https://evil.test' }),
    'an issuer that begins like ours': forge({ alg: 'EdDSA' }, { ...claims, iss: `${publicUrl}.evil.test` }),
    'no issuer': forge({ alg: 'EdDSA' }, withoutIssuer),
    'the audience of /mcp': forge({ alg: 'EdDSA' }, { ...claims, aud: audiences.mcp }),
    'no audience': forge({ alg: 'EdDSA' }, withoutAudience),
    'a time that is over': forge({ alg: 'EdDSA' }, { ...claims, iat: now - 700, exp: now - 60 }),
    'no expiry': forge({ alg: 'EdDSA' }, withoutExpiry),
    'an expiry that is text': forge({ alg: 'EdDSA' }, { ...claims, exp: '9999999999' }),
    'a time still to come': forge({ alg: 'EdDSA' }, { ...claims, nbf: now + 300 }),
    'no subject': forge({ alg: 'EdDSA' }, withoutSubject),
    'an empty subject': forge({ alg: 'EdDSA' }, { ...claims, sub: '' }),
    'a subject that is a number': forge({ alg: 'EdDSA' }, { ...claims, sub: 1 }),
    'a subject nobody has': forge({ alg: 'EdDSA' }, { ...claims, sub: 'usr_00000000000000000000000000' }),
    'no id of its own': forge({ alg: 'EdDSA' }, withoutId),
    'a list of scopes that are no text': forge({ alg: 'EdDSA' }, { ...claims, scope: [1] }),
    'a subject that no database can hold': forge({ alg: 'EdDSA' }, { ...claims, sub: `${people.ana}\0` }),
    'a client that no database can hold': forge({ alg: 'EdDSA' }, { ...claims, client_id: 'a\0' }),
    'an issue still to come': forge({ alg: 'EdDSA' }, { ...claims, iat: now + 300 }),
    'another type': forge({ alg: 'EdDSA', typ: 'logout+jwt' }, claims),
    'a type that is no text': forge({ alg: 'EdDSA', typ: 1 }, claims),
    'critical extensions that are null': forge({ alg: 'EdDSA', crit: null }, claims),
    'a payload that is a list': forge({ alg: 'EdDSA' }, [claims]),
    'four parts': `${good}.x`,
  }
  for (const [what, token] of Object.entries(forged)) {
    t.test(`one with ${what} is refused`, async t => {
      const answer = await withToken(token)
      isRefused(t, answer)
      t.notMatch(answer.body, /issuer|algorithm|signature|audience|crit/i, 'and the reason is not told')
    })
  }

  t.test('one that was accepted is refused once it has expired', async t => {
    const headers = bearer(people.bia, { lifetime: 1 })
    t.equal((await get(headers)).statusCode, 200)
    await new Promise(resolve => setTimeout(resolve, 2100))
    isRefused(t, await get(headers))
  })

  t.test('each audience refuses the tokens of the other', async t => {
    const forMcp = bearer(people.ana, { audience: audiences.mcp })
    t.equal((await ping(forMcp)).statusCode, 200)
    isRefused(t, await get(forMcp))
    isRefused(t, await ping(bearer(people.ana)))
  })

  t.test('no header but Authorization says who one is', async t => {
    const claimed = {
      'x-user-id': people.ana,
      'x-mcp-user': people.ana,
      'x-mcp-caller': JSON.stringify({ id: people.ana, principal: { id: people.ana } }),
      'x-mcp-principal': people.ana,
      'x-forwarded-user': people.ana,
      'x-organization-id': people.acme.id,
      cookie: `token=${good}`,
    }
    isRefused(t, await get(claimed))
    isRefused(t, await app.inject({ url: `/api/v1/me?access_token=${good}&token=${good}` }))
    const answer = await get({ ...claimed, ...bearer(people.leo) })
    t.equal(answer.json().data.id, people.leo)
    t.equal(answer.json().data.organization.id, people.globex.id)
  })

  t.test('Authorization that is no bearer token is none', async t => {
    for (const authorization of [
      '',
      'Bearer',
      'Bearer ',
      `Basic ${btoa('a:b')}`,
      `Bearer ${good} x`,
      good,
      `Bearer ${good}, Bearer x`,
    ]) {
      isRefused(t, await get({ authorization }))
    }
  })

  t.test(
    'a scope that the route needs and the token lacks is a 403 that lists all that are needed',
    async t => {
      const answer = await app.inject({
        url: '/api/v1/inboxes',
        headers: { ...bearer(people.bia, { scopes: ['emails:write'] }) },
      })
      t.equal(answer.statusCode, 403)
      t.match(answer.json(), { code: 'insufficient_scope', status: 403 })
      t.match(
        answer.headers['www-authenticate'],
        /^Bearer error="insufficient_scope", scope="inboxes:read", resource/,
      )
      t.match(answer.headers, { 'x-ratelimit-limit': /^\d+$/, 'x-ratelimit-remaining': /^\d+$/ })
    },
  )

  t.test('writing implies reading, and nothing of another resource', async t => {
    const headers = bearer(people.bia, { scopes: ['inboxes:write'] })
    t.equal((await app.inject({ url: '/api/v1/inboxes', headers })).statusCode, 200)
    t.equal((await app.inject({ url: '/api/v1/emails', headers })).statusCode, 403)
  })

  t.test('a token without any scope may still ask who it is', async t => {
    const answer = await get(bearer(people.bia, { scopes: [] }))
    t.equal(answer.statusCode, 200)
    t.same(answer.json().data.scopes, [])
  })

  t.test('a disabled account is refused with a token that is good', async t => {
    await database.asOwner(trx =>
      trx
        .updateTable('users')
        .set({ disabled_at: new Date().toISOString() })
        .where('id', '=', people.vera)
        .execute(),
    )
    isRefused(t, await get(bearer(people.vera)))
    isRefused(t, await ping(bearer(people.vera, { audience: audiences.mcp })))
  })
})

function isRefused(t: Test, answer: LightMyRequestResponse): void {
  t.equal(answer.statusCode, 401)
  t.match(answer.json(), { code: 'unauthorized', status: 401 })
  t.match(
    answer.headers['www-authenticate'],
    /^Bearer .*resource_metadata="http:\/\/inbox\.test\/\.well-known\/oauth-protected-resource/,
  )
  t.notOk(answer.headers['x-ratelimit-limit'], 'no budget is shown to nobody')
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function forge(header: object, payload: unknown): string {
  const input = `${encode(header)}.${encode(payload)}`
  return `${input}.${sign(null, Buffer.from(input), keys.privateKey).toString('base64url')}`
}

function hmac(header: object, payload: unknown): string {
  const input = `${encode(header)}.${encode(payload)}`
  return `${input}.${createHmac('sha256', keys.publicKey).update(input).digest('base64url')}`
}
