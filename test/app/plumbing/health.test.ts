import { test } from 'tap'
import { allScopes } from '../../../lib/identity/scopes.ts'
import { audiences, bearer, publicUrl, startApp } from './start-app.ts'

test('health and readiness', async t => {
  const { app } = await startApp(t)

  t.test('the process says that it runs, without a token', async t => {
    const answer = await app.inject('/health')
    t.equal(answer.statusCode, 200)
    t.same(answer.json(), { status: 'ok' })
  })

  t.test('it is not ready before the queue is, and says so', async t => {
    const answer = await app.inject('/ready')
    t.equal(answer.statusCode, 503)
    t.match(answer.headers['retry-after'], /^\d+$/)
    t.match(answer.json(), { code: 'unavailable', checks: { database: 'ready', queue: 'not ready' } })
  })

  t.test('it is ready once everything is, and not while one check fails, breaks or hangs', async t => {
    await app.jobs.start()
    t.teardown(() => app.jobs.stop())
    const ready = await app.inject('/ready')
    t.equal(ready.statusCode, 200)
    t.same(ready.json(), { status: 'ready', checks: { server: 'ready', database: 'ready', queue: 'ready' } })
    const failing = [
      async () => false,
      () => Promise.reject(new Error('secret')),
      () => new Promise<boolean>(() => {}),
    ]
    for (const isReady of failing) {
      app.readiness.push({ name: 'demo data', isReady })
      const answer = await app.inject('/ready')
      t.equal(answer.statusCode, 503)
      t.match(answer.json().checks, { database: 'ready', 'demo data': 'not ready' })
      t.notMatch(answer.body, 'secret')
      app.readiness.pop()
    }
  })
})

test('protected resource metadata', async t => {
  const production = { authPublicKey: 'set', authIssuer: 'https://id.example.com' }
  const { app } = await startApp(t, { config: production })
  const path = '/.well-known/oauth-protected-resource'

  t.test('names each resource exactly, where it is authorized, and every scope', async t => {
    for (const [url, resource] of [
      [`${path}/mcp`, `${publicUrl}/mcp`],
      [`${path}/api/v1`, `${publicUrl}/api/v1`],
      [path, `${publicUrl}/mcp`],
    ]) {
      const answer = await app.inject(String(url))
      t.equal(answer.statusCode, 200)
      t.match(answer.headers['content-type'], 'application/json')
      t.match(answer.json(), {
        resource,
        authorization_servers: ['https://id.example.com'],
        scopes_supported: allScopes,
        bearer_methods_supported: ['header'],
        resource_name: /Kobana Autonomous Inbox/,
      })
    }
  })
})

test('where tokens come from the command line, no authorization server is named', async t => {
  const { app } = await startApp(t)
  const document = (await app.inject('/.well-known/oauth-protected-resource/mcp')).json()
  t.notOk('authorization_servers' in document)
})

test('a database that is away makes requests a 503, not a 401 or a 500', async t => {
  const { app, database, people } = await startApp(t)
  await database.close()
  const api = await app.inject({ url: '/api/v1/me', headers: bearer(people.ana) })
  const mcp = await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: bearer(people.ana, { audience: audiences.mcp }),
    payload: { jsonrpc: '2.0', id: 1, method: 'ping' },
  })
  for (const answer of [api, mcp, await app.inject('/ready')]) {
    t.equal(answer.statusCode, 503)
    t.match(answer.json(), { code: 'unavailable' })
    t.match(answer.headers['retry-after'], /^\d+$/)
  }
  t.equal((await app.inject('/health')).statusCode, 200)
})
