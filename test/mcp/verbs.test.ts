import cors from '@fastify/cors'
import { test } from 'tap'
import { legacy, post } from './toy-client.ts'
import { createNotes } from './toy-notes.ts'

const others = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'TRACE'] as const

test('every verb but POST is 405 with Allow, before a token is asked for', async t => {
  const { app } = await createNotes(t)
  for (const method of others) {
    const answer = await app.inject({ method, url: '/mcp' })
    t.equal(answer.statusCode, 405, method)
    t.equal(answer.headers.allow, 'POST', method)
    t.equal(answer.headers['cache-control'], 'no-store', method)
    t.match(answer.headers['content-type'], 'application/problem+json')
    if (method !== 'HEAD') t.match(answer.json(), { code: 'method_not_allowed', status: 405 }, method)
  }
})

test('a verb that Fastify does not know by itself is 405 too', async t => {
  const { app } = await createNotes(t)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  for (const method of ['PROPFIND', 'MKCOL', 'SEARCH']) {
    const answer = await fetch(`${url}/mcp?a=1`, { method })
    t.equal(answer.status, 405, method)
    t.equal(answer.headers.get('allow'), 'POST', method)
    t.equal(answer.headers.get('cache-control'), 'no-store', method)
    await answer.text()
  }
})

test('GET asks for no stream and gets none, whatever it accepts and whatever session it names', async t => {
  const { app } = await createNotes(t)
  const headers = { accept: 'text/event-stream', 'mcp-session-id': 'abc', authorization: 'Bearer ana' }
  t.equal((await app.inject({ method: 'GET', url: '/mcp', headers })).statusCode, 405)
  t.equal((await app.inject({ method: 'DELETE', url: '/mcp', headers })).statusCode, 405)
})

test('what a wrong verb carries does not matter: not its type, not its size', async t => {
  const { app } = await createNotes(t)
  for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
    const text = await app.inject({
      method,
      url: '/mcp',
      payload: 'x',
      headers: { 'content-type': 'text/plain' },
    })
    t.equal(text.statusCode, 405, `${method} with text`)
    const large = await app.inject({
      method,
      url: '/mcp',
      payload: ' '.repeat(2_000_000),
      headers: { 'content-type': 'application/json' },
    })
    t.equal(large.statusCode, 405, `${method} with two megabytes`)
  }
})

test('a preflight belongs to CORS and is never answered 401', async t => {
  const { app } = await createNotes(t, {
    before: app => app.register(cors, { origin: ['https://app.test'], methods: ['POST'] }),
  })
  const answer = await app.inject({
    method: 'OPTIONS',
    url: '/mcp',
    headers: { origin: 'https://app.test', 'access-control-request-method': 'POST' },
  })
  t.equal(answer.statusCode, 204)
  t.equal(answer.headers['access-control-allow-origin'], 'https://app.test')

  const bare = await createNotes(t)
  t.not((await bare.app.inject({ method: 'OPTIONS', url: '/mcp' })).statusCode, 401)
})

test('below the endpoint there is nothing, and it says so without being kept', async t => {
  const { app } = await createNotes(t)
  for (const url of ['/mcp/', '/mcp/sse', '/mcp/..%2fapi%2fnotes']) {
    const answer = await post(app, {}, { url })
    t.equal(answer.statusCode, 404, url)
    t.equal(answer.json().code, 'not_found', url)
    t.equal(answer.headers['cache-control'], 'no-store', url)
  }
})

test('a query string changes nothing', async t => {
  const { app } = await createNotes(t)
  t.same((await legacy(app, 'ping', {}, { url: '/mcp?token=ana&x' })).json().result, {})
})
