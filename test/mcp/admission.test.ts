import { test } from 'tap'
import { refuse } from './toy-callers.ts'
import { call, legacy, modern, post } from './toy-client.ts'
import { createNotes, metadataUrl } from './toy-notes.ts'

const everyScope = 'notes:read notes:write'

test('a request without Origin passes; one with an origin passes only if it is listed', async t => {
  const { app } = await createNotes(t)
  const origins: readonly (readonly [string | undefined, number])[] = [
    [undefined, 200],
    ['https://app.test', 200],
    ['https://app.test:8443', 403],
    ['https://APP.test', 403],
    ['http://app.test', 403],
    ['https://app.test.evil.test', 403],
    ['null', 403],
    ['', 403],
  ]
  for (const [origin, status] of origins) {
    const answer = await legacy(app, 'ping', {}, { headers: { origin } })
    t.equal(answer.statusCode, status, String(origin))
    if (status === 403) t.equal(answer.json().code, 'origin_not_allowed')
    t.equal(answer.headers['cache-control'], 'no-store')
  }
})

test('origins may be decided by a function, and by default no page may call', async t => {
  const some = await createNotes(t, { mcp: { allowedOrigins: origin => origin.endsWith('.test') } })
  t.equal((await legacy(some.app, 'ping', {}, { headers: { origin: 'https://a.test' } })).statusCode, 200)
  t.equal((await legacy(some.app, 'ping', {}, { headers: { origin: 'https://a.com' } })).statusCode, 403)
  const none = await createNotes(t, { mcp: { allowedOrigins: undefined } })
  t.equal((await legacy(none.app, 'ping', {}, { headers: { origin: 'https://app.test' } })).statusCode, 403)
})

test('without a token the challenge tells the way in, and names no error', async t => {
  const { app } = await createNotes(t)
  const methods = ['server/discover', 'initialize', 'tools/list', 'nothing']
  for (const method of methods) {
    for (const answer of [
      await legacy(app, method, {}, { as: null }),
      await modern(app, method, {}, { as: null }),
    ]) {
      t.equal(answer.statusCode, 401, method)
      t.match(answer.json(), { code: 'unauthorized', status: 401, title: 'Unauthorized' })
      t.equal(
        answer.headers['www-authenticate'],
        `Bearer resource_metadata="${metadataUrl}", scope="${everyScope}"`,
      )
      t.equal(answer.headers['cache-control'], 'no-store')
      t.notOk(answer.headers['mcp-protocol-version'], 'nothing was settled')
    }
  }
})

test('with a token that is not valid the challenge says so; other credentials are no token', async t => {
  const { app } = await createNotes(t)
  const credentials: readonly (readonly [string, boolean])[] = [
    ['Bearer nobody', true],
    ['bearer  nobody', true],
    ['Bearer __proto__', true],
    ['Bearer', false],
    ['Bearer ', false],
    ['', false],
    ['Basic YW5hOmFuYQ==', false],
  ]
  for (const [authorization, isToken] of credentials) {
    const answer = await legacy(app, 'ping', {}, { headers: { authorization } })
    t.equal(answer.statusCode, 401, authorization)
    const error = isToken ? ', error="invalid_token"' : ''
    t.equal(
      answer.headers['www-authenticate'],
      `Bearer resource_metadata="${metadataUrl}", scope="${everyScope}"${error}`,
      authorization,
    )
  }
})

test('a challenge leaves out what there is not: no metadata, no scopes', async t => {
  const bare = await createNotes(t, { mcp: { resourceMetadataUrl: undefined } })
  const answer = await legacy(bare.app, 'ping', {}, { as: null })
  t.equal(answer.headers['www-authenticate'], `Bearer scope="${everyScope}"`)
})

test('a challenge names scopes as the authorization server does', async t => {
  const { app } = await createNotes(t, { mcp: { scopePrefix: 'api://notes/' } })
  const prefixed = everyScope.replaceAll(/\S+/g, 'api://notes/$&')
  const answer = await legacy(app, 'ping', {}, { as: null })
  t.equal(
    answer.headers['www-authenticate'],
    `Bearer resource_metadata="${metadataUrl}", scope="${prefixed}"`,
  )
})

test('an address that failed too often is told when to come back', async t => {
  const { app } = await createNotes(t)
  const answer = await legacy(app, 'ping', {}, { address: '192.0.2.66' })
  t.equal(answer.statusCode, 429)
  t.equal(answer.json().code, 'rate_limited')
  t.equal(answer.headers['retry-after'], '60')
  t.notOk(answer.headers['x-ratelimit-limit'], 'that is the budget of callers')
})

test('a caller without budget is told when to come back, with the budget', async t => {
  const { app } = await createNotes(t)
  const answer = await legacy(app, 'ping', {}, { as: 'sam' })
  t.equal(answer.statusCode, 429)
  t.match(answer.headers, {
    'retry-after': '30',
    'x-ratelimit-limit': '100',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': '30',
    'cache-control': 'no-store',
  })
})

test('a 429 that names no time says one second', async t => {
  const { app } = await createNotes(t, {
    mcp: {
      limit: () => {
        throw refuse(429)
      },
    },
  })
  t.equal((await legacy(app, 'ping')).headers['retry-after'], '1')
})

test('the budget stands on everything past authentication, refusals included', async t => {
  const { app } = await createNotes(t)
  const answers = {
    'a result': await legacy(app, 'ping'),
    'a tool result': await call(app, 'notes_list'),
    'a notification': await post(app, { jsonrpc: '2.0', method: 'notifications/initialized' }),
    'no JSON': await post(app, '{'),
    'no message': await post(app, {}),
    'no media type': await post(app, '{}', { headers: { 'content-type': 'text/plain' } }),
    'too large': await post(app, ' '.repeat(1_048_577)),
    'a version not spoken': await legacy(
      app,
      'ping',
      {},
      { headers: { 'mcp-protocol-version': '1999-01-01' } },
    ),
    'no such method': await modern(app, 'nothing'),
    'a scope not covered': await call(app, 'notes_create', {}, { as: 'rob' }),
  }
  for (const [name, { headers }] of Object.entries(answers)) {
    t.match(
      headers,
      { 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '99', 'x-ratelimit-reset': '30' },
      name,
    )
    t.equal(headers['cache-control'], 'no-store', name)
  }
})

test('an embedding API may refuse with other statuses; what it did not mean to say stays inside', async t => {
  const thrown: readonly (readonly [unknown, number, string])[] = [
    [refuse(503, { 'Retry-After': '7' }), 503, 'unavailable'],
    [refuse(403), 403, 'forbidden'],
    [refuse(500), 503, 'unavailable'],
    [new Error('password=hunter2'), 503, 'unavailable'],
    [Object.assign(new Error('odd'), { statusCode: 401, headers: 'none' }), 401, 'unauthorized'],
  ]
  for (const [error, status, code] of thrown) {
    const { app } = await createNotes(t, {
      mcp: {
        authenticate: async () => {
          throw error
        },
      },
    })
    const answer = await legacy(app, 'ping')
    t.equal(answer.statusCode, status)
    t.equal(answer.json().code, code)
    t.notMatch(answer.body, /hunter2|refused with|odd/, 'nothing of the error is said')
    t.type(answer.json().request_id, 'string')
    if (status === 503) t.match(answer.headers['retry-after'], /^[57]$/)
  }
})

test("what an embedding API calls the client's mistake is an invalid request, and no error in the log", async t => {
  const lines: string[] = []
  const { app } = await createNotes(t, {
    server: { logger: { level: 'warn', stream: { write: (line: string) => void lines.push(line) } } },
    mcp: {
      authenticate: async () => {
        throw refuse(400)
      },
    },
  })
  const answer = await legacy(app, 'ping')
  t.equal(answer.statusCode, 400)
  t.match(answer.json(), { error: { code: -32600, message: 'Invalid request' } })
  t.same(lines, [])
})

test('Accept is never a reason to refuse, and the answer is JSON', async t => {
  const { app } = await createNotes(t)
  for (const accept of [
    undefined,
    '*/*',
    'application/json',
    'text/event-stream',
    'text/html',
    'nonsense',
    '',
  ]) {
    for (const answer of [
      await legacy(app, 'ping', {}, { headers: { accept } }),
      await modern(app, 'tools/list', {}, { headers: { accept } }),
      await call(app, 'notes_list', {}, { headers: { accept } }),
    ]) {
      t.equal(answer.statusCode, 200, String(accept))
      t.match(answer.headers['content-type'], /^application\/json/)
    }
  }
})

test('a session id is ignored, and none is ever given out', async t => {
  const { app } = await createNotes(t)
  const headers = { 'mcp-session-id': 'made-up' }
  const initialize = { protocolVersion: '2025-06-18' }
  for (const answer of [
    await legacy(app, 'initialize', initialize, { headers }),
    await legacy(app, 'tools/list', {}, { headers }),
    await call(app, 'notes_list', {}, { headers }),
    await legacy(app, 'initialize', initialize),
  ]) {
    t.equal(answer.statusCode, 200)
    t.notOk(answer.headers['mcp-session-id'])
  }
})
