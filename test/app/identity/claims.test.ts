import type { FastifyInstance } from 'fastify'
import { test } from 'tap'
import { audiences, startApp } from '../plumbing/start-app.ts'
import { createIssuerKey, startIssuer } from './issuer.ts'
import { moveClock } from './move-clock.ts'

const key = createIssuerKey('ES256')

test('an authorization server that names people by their e-mail address', async t => {
  const issuer = await startIssuer(t)
  issuer.keys = [key.jwk]
  const { app, database, people } = await startApp(t, {
    env: {
      AUTH_ISSUER: issuer.url,
      AUTH_JWKS_URL: issuer.jwksUrl,
      AUTH_USER_CLAIM: 'email',
      AUTH_SCOPE_CLAIM: 'scp',
      AUTH_SCOPE_PREFIX: 'inbox/',
      AUTH_AUDIENCE_API: 'api://inbox',
      AUTH_AUDIENCE_MCP: 'api://inbox-mcp',
      RATE_LIMIT_MAX: '100000',
    },
  })
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: issuer.url,
    aud: 'api://inbox',
    sub: 'f3b1c1de-0000-4000-8000-000000000000',
    email: 'bia@acme.test',
    azp: 'its-client',
    iat: now,
    exp: now + 3_600,
  }
  const me = async (changes: object) => {
    const headers = { authorization: `Bearer ${key.sign({ ...claims, ...changes })}` }
    return app.inject({ url: '/api/v1/me', headers })
  }

  for (const [what, changes] of Object.entries({
    'an address that is not verified': { email_verified: false },
    'one that is not verified, in words': { email_verified: 'false' },
    'an address that nobody has': { email: 'eva@acme.test' },
    'no address': { email: undefined },
    'a list of addresses': { email: ['bia@acme.test'] },
    'an id in place of an address': { email: people.bia },
    'an address with NUL': { email: 'bia@acme.test\0' },
    'an id in sub, which here is only theirs': { email: undefined, sub: people.bia },
    'the audience that is the default elsewhere': { aud: audiences.api },
  })) {
    await t.test(`is not believed with ${what}`, async t => t.equal((await me(changes)).statusCode, 401))
  }

  await t.test('is believed otherwise, in any case', async t => {
    for (const changes of [{}, { email: 'BIA@Acme.test' }, { email_verified: true }]) {
      const answer = await me(changes)
      t.equal(answer.statusCode, 200)
      t.match(answer.json().data, { id: people.bia, client_id: 'its-client' })
    }
  })

  await t.test('may write the domain of an address in either spelling', async t => {
    await database.asOwner(trx =>
      trx
        .updateTable('users')
        .set({ email: 'leo@xn--mnchen-3ya.test' })
        .where('id', '=', people.leo)
        .execute(),
    )
    for (const email of ['leo@xn--mnchen-3ya.test', 'Leo@München.test']) {
      t.match((await me({ email })).json().data, { id: people.leo }, email)
    }
  })

  await t.test(
    'has its own name and prefix for scopes, in a text or a list; others are none of ours',
    async t => {
      for (const scp of [
        'openid inbox/emails:write inbox/ other/rules:read',
        ['inbox/emails:write', 'profile'],
      ]) {
        const answer = await me({ scp, scope: 'inbox/rules:read rules:read' })
        t.same(answer.json().data.scopes, ['emails:read', 'emails:write'])
      }
      t.same((await me({})).json().data.scopes, [])
    },
  )

  await t.test('is asked for scopes by the names that it has for them', async t => {
    const toScopes = (challenge: string) => /scope="([^"]*)"/.exec(challenge)?.[1]?.split(' ') ?? []
    for (const scopes of [
      (await app.inject('/.well-known/oauth-protected-resource/mcp')).json().scopes_supported,
      (await app.inject('/.well-known/oauth-protected-resource/api/v1')).json().scopes_supported,
      toScopes(await challengeOf(app, 'POST', '/mcp', {})),
      toScopes(await challengeOf(app, 'GET', '/api/v1/emails', {})),
    ]) {
      t.ok(scopes.includes('inbox/emails:read'))
      t.ok(scopes.every((scope: string) => scope.startsWith('inbox/')))
    }
    const token = key.sign({ ...claims, aud: 'api://inbox-mcp', scp: 'inbox/emails:read' })
    const called = await app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { authorization: `Bearer ${token}` },
      payload: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'inboxes_upsert', arguments: {} },
      },
    })
    const stepUps = [called, await app.inject({ url: '/api/v1/rules', headers: read() })]
    t.same(
      stepUps.map(({ statusCode, headers }) => [statusCode, toScopes(String(headers['www-authenticate']))]),
      [
        [403, ['inbox/inboxes:write']],
        [403, ['inbox/rules:read']],
      ],
    )
    function read() {
      return { authorization: `Bearer ${key.sign({ ...claims, scp: 'inbox/emails:read' })}` }
    }
  })

  await t.test('is where people log in: nobody is given a link to set a password here', async t => {
    const headers = { authorization: `Bearer ${key.sign({ ...claims, scp: 'inbox/members:write' })}` }
    const dora = { email: 'dora@acme.test', name: 'Dora Reis', role: 'viewer' }
    const invited = await app.inject({ method: 'POST', url: '/api/v1/members', headers, payload: dora })
    t.equal(invited.statusCode, 201)
    const { data } = invited.json()
    t.match(data, { email: dora.email, link: null, link_expires_at: null, mailed: false })
    const url = `/api/v1/members/${data.id}/password-resets`
    const reset = await app.inject({ method: 'POST', url, headers: { ...headers, 'if-match': '*' } })
    t.match(reset.json(), { status: 409, code: 'conflict', detail: /log in at another server/ })
    t.equal((await app.inject('/people/link?token=x')).statusCode, 404)
    t.same(await database.asOwner(trx => trx.selectFrom('account_links').selectAll().execute()), [])
  })

  await t.test('stops a person within 30 seconds, on both APIs', async t => {
    const advance = moveClock(t)
    const ping = () =>
      app.inject({
        method: 'POST',
        url: '/mcp',
        headers: { authorization: `Bearer ${key.sign({ ...claims, aud: 'api://inbox-mcp' })}` },
        payload: { jsonrpc: '2.0', id: 1, method: 'ping' },
      })
    const both = async () => [(await me({})).statusCode, (await ping()).statusCode]
    // What was learned of her in the tests before is of no known age.
    app.forgetPrincipal(people.bia)
    t.same(await both(), [200, 200])
    await disable(people.bia)
    advance(20_000)
    t.same(await both(), [200, 200])
    advance(11_000)
    t.same(await both(), [401, 401])
  })

  async function disable(id: string): Promise<void> {
    const disabled_at = new Date().toISOString()
    await database.asOwner(trx =>
      trx.updateTable('users').set({ disabled_at }).where('id', '=', id).execute(),
    )
  }
})

test('what a client can send changes neither metadata nor challenges', async t => {
  const { app } = await startApp(t, {
    env: { PUBLIC_URL: 'https://inbox.example.com/base', TRUST_PROXY: 'true' },
    config: { authPublicKey: 'set', authIssuer: 'https://id.example.com' },
  })
  const forged = {
    host: 'evil.test',
    'x-forwarded-host': 'evil.test',
    'x-forwarded-proto': 'http',
    'x-forwarded-port': '81',
    'x-forwarded-prefix': '/evil',
    'x-original-host': 'evil.test',
    forwarded: 'host=evil.test;proto=http',
  }
  const wellKnown = '/.well-known/oauth-protected-resource'
  const expected = {
    [`${wellKnown}/mcp`]: 'https://inbox.example.com/base/mcp',
    [wellKnown]: 'https://inbox.example.com/base/mcp',
    [`${wellKnown}/base/mcp`]: 'https://inbox.example.com/base/mcp',
    [`${wellKnown}/api/v1`]: 'https://inbox.example.com/base/api/v1',
    [`${wellKnown}/base/api/v1`]: 'https://inbox.example.com/base/api/v1',
  }
  for (const [url, resource] of Object.entries(expected)) {
    const answer = await app.inject({ url, headers: forged })
    t.equal(answer.json().resource, resource, url)
    t.same(answer.json().authorization_servers, ['https://id.example.com'])
    t.notMatch(answer.body, 'evil')
    t.equal((await app.inject(url)).body, answer.body)
  }
  t.equal((await app.inject(`${wellKnown}/other`)).statusCode, 404)
  for (const [resource, challenge] of [
    ['mcp', await challengeOf(app, 'POST', '/mcp', forged)],
    ['api/v1', await challengeOf(app, 'GET', '/api/v1/me', forged)],
  ] as const) {
    const url = `https://inbox.example.com/base${wellKnown}/${resource}`
    t.match(challenge, `resource_metadata="${url}"`)
    t.notMatch(challenge, 'evil')
  }
})

async function challengeOf(
  app: FastifyInstance,
  method: 'GET' | 'POST',
  url: string,
  headers: Record<string, string>,
): Promise<string> {
  const answer = await app.inject({ method, url, headers, ...(method === 'POST' && { payload: {} }) })
  if (answer.statusCode !== 401) throw new Error(`${url} answered ${answer.statusCode}`)
  return String(answer.headers['www-authenticate'])
}
