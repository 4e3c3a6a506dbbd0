import { test } from 'tap'
import { audiences, bearer, startApp } from './start-app.ts'

test('browser pages of allowed origins', async t => {
  const { app, people } = await startApp(t, { env: { CORS_ORIGINS: 'https://app.example.com' } })
  const origin = 'https://app.example.com'
  const preflight = (url: string, from: string, asked = 'authorization') =>
    app.inject({
      method: 'OPTIONS',
      url,
      headers: {
        origin: from,
        'access-control-request-method': 'POST',
        'access-control-request-headers': asked,
      },
    })

  t.test('get their preflight answered without a token, on the API and on /mcp', async t => {
    for (const url of ['/api/v1/inboxes', '/api/v1/emails/x', '/mcp']) {
      const answer = await preflight(url, origin)
      t.equal(answer.statusCode, 204)
      t.equal(answer.headers['access-control-allow-origin'], origin)
      t.match(answer.headers.vary, /origin/i)
      t.match(answer.headers['access-control-allow-methods'], /POST.*PATCH/)
      const allowed = String(answer.headers['access-control-allow-headers']).toLowerCase()
      for (const name of [
        'authorization',
        'content-type',
        'accept',
        'mcp-protocol-version',
        'mcp-method',
        'mcp-name',
        'mcp-session-id',
        'last-event-id',
        'x-workspace-id',
        'if-match',
        'idempotency-key',
        'traceparent',
      ]) {
        t.match(allowed, name)
      }
      t.notOk(answer.headers['access-control-allow-credentials'])
    }
  })

  t.test('may send the headers that mirror arguments of tools, and no header of their invention', async t => {
    const answer = await preflight(
      '/mcp',
      origin,
      'content-type, Mcp-Param-Region, x-invented, mcp-param-a b',
    )
    const allowed = String(answer.headers['access-control-allow-headers'])
    t.match(allowed, /Mcp-Param-Region/)
    t.notMatch(allowed, /x-invented|mcp-param-a b/)
  })

  t.test('can read the answers, errors included', async t => {
    const good = await app.inject({ url: '/api/v1/me', headers: { origin, ...bearer(people.ana) } })
    const refused = await app.inject({ url: '/api/v1/me', headers: { origin } })
    const mcp = await app.inject({ method: 'POST', url: '/mcp', headers: { origin }, payload: {} })
    t.same([good.statusCode, refused.statusCode, mcp.statusCode], [200, 401, 401])
    for (const answer of [good, refused, mcp]) {
      t.equal(answer.headers['access-control-allow-origin'], origin)
      const exposed = String(answer.headers['access-control-expose-headers']).toLowerCase()
      for (const name of [
        'www-authenticate',
        'mcp-protocol-version',
        'x-ratelimit-reset',
        'retry-after',
        'etag',
        'location',
      ]) {
        t.match(exposed, name)
      }
    }
  })

  t.test('of other origins are told nothing, and refused by /mcp', async t => {
    const others = [
      'https://evil.example.com',
      'https://app.example.com.evil.test',
      'http://app.example.com',
      'null',
      'http://localhost:3000',
    ]
    for (const other of others) {
      const answer = await preflight('/api/v1/inboxes', other)
      t.notOk(answer.headers['access-control-allow-origin'], other)
      t.not(answer.statusCode, 401)
      const mcp = await app.inject({
        method: 'POST',
        url: '/mcp',
        headers: { origin: other, ...bearer(people.ana, { audience: audiences.mcp }) },
        payload: { jsonrpc: '2.0', id: 1, method: 'ping' },
      })
      t.equal(mcp.statusCode, 403)
      t.notOk(mcp.headers['access-control-allow-origin'])
    }
  })

  t.test('are not needed: other programs send no origin', async t => {
    const answer = await app.inject({ url: '/api/v1/me', headers: bearer(people.ana) })
    t.equal(answer.statusCode, 200)
    t.notOk(answer.headers['access-control-allow-origin'])
  })
})

test('the demo also allows pages of this machine', async t => {
  const { app } = await startApp(t, { config: { mode: 'demo' } })
  const allows = (origin: string) => app.isAllowedOrigin(origin)
  t.same(['http://localhost:6274', 'http://127.0.0.1:8080', 'http://localhost'].map(allows), [
    true,
    true,
    true,
  ])
  t.same(
    [
      'http://localhost.evil.test',
      'http://127.0.0.1.evil.test:80',
      'https://evil.test',
      'null',
      'http://127.0.0.2',
    ].map(allows),
    [false, false, false, false, false],
  )
})
