import { test } from 'tap'
import { audiences, bearer, startApp } from '../plumbing/start-app.ts'

const exposed = [
  'www-authenticate',
  'mcp-protocol-version',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'retry-after',
]

test('a page of an allowed origin', async t => {
  const origin = 'https://app.example.com'
  const { app, people } = await startApp(t, { env: { CORS_ORIGINS: origin, RATE_LIMIT_MAX: '3' } })
  const mcp = (headers: Record<string, string>) =>
    app.inject({
      method: 'POST',
      url: '/mcp',
      headers,
      payload: { jsonrpc: '2.0', id: 1, method: 'ping' },
    })

  await t.test('can read every refusal that it must act on, and what is exposed of it', async t => {
    const token = bearer(people.bia, { audience: audiences.mcp })
    const narrow = bearer(people.bia, { scopes: [] })
    const api = (headers: Record<string, string>) => app.inject({ url: '/api/v1/inboxes', headers })
    const spend = async () => {
      await mcp({ origin, ...token })
      return mcp({ origin, ...token })
    }
    const answers = {
      200: await mcp({ origin, ...token }),
      401: await mcp({ origin }),
      403: await api({ origin, ...narrow }),
      404: await app.inject({ url: '/api/v1/nothing', headers: { origin } }),
      405: await app.inject({ url: '/mcp', headers: { origin } }),
      429: await spend(),
    }
    for (const [status, answer] of Object.entries(answers)) {
      t.equal(answer.statusCode, Number(status))
      t.equal(answer.headers['access-control-allow-origin'], origin, status)
      const names = String(answer.headers['access-control-expose-headers']).toLowerCase().split(/, */)
      for (const name of exposed) t.ok(names.includes(name), `${name} of ${status}`)
    }
  })

  await t.test('can read where to log in', async t => {
    const url = '/.well-known/oauth-protected-resource/mcp'
    const answer = await app.inject({ url, headers: { origin } })
    t.equal(answer.headers['access-control-allow-origin'], origin)
    const preflight = await app.inject({
      method: 'OPTIONS',
      url,
      headers: {
        origin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'mcp-protocol-version',
      },
    })
    t.equal(preflight.statusCode, 204)
  })
})

test('a page of another origin is refused by /mcp before anything else is looked at', async t => {
  const { app, people } = await startApp(t, { env: { RATE_LIMIT_MAX: '10' } })
  const post = (headers: Record<string, string>) =>
    app.inject({ method: 'POST', url: '/mcp', headers, payload: '{' })
  for (let at = 0; at < 12; at++) {
    const answer = await post({ origin: 'https://evil.test', authorization: 'Bearer x' })
    t.equal(answer.statusCode, 403)
    t.notOk(answer.headers['access-control-allow-origin'])
    t.notOk(answer.headers['www-authenticate'])
  }
  const good = await app.inject({ url: '/api/v1/me', headers: bearer(people.bia) })
  t.equal(good.statusCode, 200, 'a page cannot use up the budget of whoever looks at it')
  for (const url of ['/mcp', '/api/v1/emails', '/api/v1/nothing']) {
    const preflight = await app.inject({
      method: 'OPTIONS',
      url,
      headers: { origin: 'https://evil.test', 'access-control-request-method': 'POST' },
    })
    t.not(preflight.statusCode, 401, url)
    t.notOk(preflight.headers['access-control-allow-origin'], url)
  }
})
