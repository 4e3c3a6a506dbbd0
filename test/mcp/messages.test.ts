import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'tap'
import { modern, post, toModernHeaders } from './toy-client.ts'
import { createNotes } from './toy-notes.ts'

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }

test('an id is a string or an integer, and comes back as it was sent', async t => {
  const { app } = await createNotes(t)
  for (const id of [0, 1, -7, '', 'a', '0', 'é🙂', 9_007_199_254_740_991]) {
    const answer = await post(app, { ...ping, id })
    t.equal(answer.statusCode, 200, JSON.stringify(id))
    t.same(answer.json(), { jsonrpc: '2.0', id, result: {} }, JSON.stringify(id))
    const error = await post(app, { ...ping, id, method: 'nothing' })
    t.equal(error.json().id, id)
  }
  t.equal((await post(app, '{"jsonrpc":"2.0","id":1.0e1,"method":"ping"}')).json().id, 10)
})

test('anything else is no id, and the refusal has none', async t => {
  const { app } = await createNotes(t)
  for (const id of ['null', '1.5', 'true', '{}', '[]', '[1]', '9007199254740992', '1e400']) {
    const answer = await post(app, `{"jsonrpc":"2.0","id":${id},"method":"ping"}`)
    t.equal(answer.statusCode, 400, id)
    t.equal(answer.json().error.code, -32600, id)
    t.notOk('id' in answer.json(), id)
  }
})

test('what is no JSON is -32700 without an id', async t => {
  const { app } = await createNotes(t)
  const latin1 = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"pi\xf1g"}', 'latin1')
  const bodies = ['', ' ', '{', 'ping', "{'a':1}", '{"a":1}}', '\ufeff{}', 'undefined', 'NaN', latin1]
  for (const body of bodies) {
    for (const headers of [{}, toModernHeaders('ping')]) {
      const answer = await post(app, body, { headers })
      t.equal(answer.statusCode, 400, String(body))
      t.same(answer.json(), {
        jsonrpc: '2.0',
        error: { code: -32700, message: 'Parse error: the body is not JSON' },
      })
    }
  }
})

test('what is no JSON-RPC 2.0 message is -32600, with the id where there is one', async t => {
  const { app } = await createNotes(t)
  const bodies: readonly (readonly [unknown, string | number | undefined])[] = [
    ['null', undefined],
    ['1', undefined],
    ['"ping"', undefined],
    ['true', undefined],
    [{}, undefined],
    [{ jsonrpc: '2.0' }, undefined],
    [{ jsonrpc: '2.0', id: 3 }, 3],
    [{ id: 3, method: 'ping' }, 3],
    [{ ...ping, jsonrpc: '1.0', id: 'x' }, 'x'],
    [{ ...ping, jsonrpc: 2 }, 1],
    [{ ...ping, method: 7 }, 1],
    [{ ...ping, method: null }, 1],
    [{ ...ping, params: 'a' }, 1],
    [{ ...ping, params: null }, 1],
    [{ ...ping, params: 5 }, 1],
    [{ ...ping, result: {} }, 1],
    [{ ...ping, error: {} }, 1],
    [{ jsonrpc: '2.0', method: 'notifications/initialized', params: 'a' }, undefined],
  ]
  for (const [body, id] of bodies) {
    const answer = await post(app, typeof body === 'string' ? Buffer.from(body) : body)
    t.equal(answer.statusCode, 400, JSON.stringify(body))
    t.equal(answer.json().error.code, -32600, JSON.stringify(body))
    t.equal(answer.json().id, id, JSON.stringify(body))
    t.equal('id' in answer.json(), id !== undefined)
  }
})

test('a batch is refused in both eras, whatever is in it', async t => {
  const { app } = await createNotes(t)
  for (const body of [[], [ping], [ping, ping], [{ jsonrpc: '2.0', method: 'x' }], ['a']]) {
    for (const version of [undefined, '2025-03-26', '2025-06-18', '2026-07-28', '1999-01-01']) {
      const answer = await post(app, body, { headers: { 'mcp-protocol-version': version } })
      t.equal(answer.statusCode, 400)
      t.equal(answer.json().error.code, -32600)
      t.notOk('id' in answer.json())
    }
  }
})

test('a notification is 202 without a body, whatever its method, version or headers', async t => {
  const { app, reached } = await createNotes(t)
  const notifications = [
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    { jsonrpc: '2.0', method: 'tools/call', params: { name: 'notes_create', arguments: { title: 'A' } } },
    { jsonrpc: '2.0', method: '' },
    { jsonrpc: '2.0', method: 'x', params: [1, 2] },
  ]
  const headers = [
    {},
    { 'mcp-protocol-version': '1999-01-01' },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'wrong', 'mcp-name': '=?base64?!?=' },
  ]
  for (const body of notifications) {
    for (const some of headers) {
      const answer = await post(app, body, { headers: some })
      t.equal(answer.statusCode, 202, `${body.method} with ${JSON.stringify(some)}`)
      t.equal(answer.body, '')
      t.equal(answer.headers['cache-control'], 'no-store')
    }
  }
  t.same(reached, [], 'and is never dispatched')
})

test('a posted response is accepted in 2025 and refused in 2026-07-28', async t => {
  const { app } = await createNotes(t)
  const responses = [
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 'a', result: null },
    { jsonrpc: '2.0', id: 1, error: { code: -1, message: 'no' } },
    { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'what?' } },
    { jsonrpc: '2.0', error: { code: -32700, message: 'what?' } },
  ]
  for (const body of responses) {
    for (const version of [undefined, '2025-06-18', '2025-03-26']) {
      const answer = await post(app, body, { headers: { 'mcp-protocol-version': version } })
      t.equal(answer.statusCode, 202)
      t.equal(answer.body, '')
    }
    const refused = await post(app, body, { headers: { 'mcp-protocol-version': '2026-07-28' } })
    t.equal(refused.statusCode, 400)
    t.equal(refused.json().error.code, -32600)
    t.notOk('id' in refused.json(), 'it answers no request')
  }
})

test('what is half a response is no message in either era', async t => {
  const { app } = await createNotes(t)
  const bodies = [
    { jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: '' } },
    { jsonrpc: '2.0', result: {} },
    { jsonrpc: '2.0', id: null, result: {} },
    { jsonrpc: '2.0', id: 1.5, error: { code: 1, message: '' } },
  ]
  for (const body of bodies) {
    const answer = await post(app, body)
    t.equal(answer.statusCode, 400, JSON.stringify(body))
    t.equal(answer.json().error.code, -32600)
  }
})

test('only application/json is taken', async t => {
  const { app } = await createNotes(t)
  const types: readonly (readonly [string | undefined, number])[] = [
    ['application/json', 200],
    ['application/json; charset=utf-8', 200],
    ['application/json;charset="utf-8"', 200],
    ['APPLICATION/JSON', 200],
    [undefined, 415],
    ['', 415],
    ['text/plain', 415],
    ['application/jsonp', 415],
    ['application/json-rpc', 415],
    ['application/vnd.api+json', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data; boundary=x', 415],
    ['nonsense', 415],
  ]
  for (const [type, status] of types) {
    const answer = await post(app, ping, { headers: { 'content-type': type } })
    t.equal(answer.statusCode, status, String(type))
    if (status === 415) t.equal(answer.json().code, 'unsupported_media_type', String(type))
  }
  const empty = await app.inject({ method: 'POST', url: '/mcp', headers: { authorization: 'Bearer ana' } })
  t.equal(empty.statusCode, 415, 'no body at all')
})

test('a body holds 1,048,576 bytes and not one more', async t => {
  const { app } = await createNotes(t)
  const text = JSON.stringify(ping)
  t.equal((await post(app, text.padEnd(1_048_576))).statusCode, 200)
  const answer = await post(app, text.padEnd(1_048_577))
  t.equal(answer.statusCode, 413)
  t.equal(answer.json().error.code, -32600)
  t.notOk('id' in answer.json())
  t.equal(answer.headers['cache-control'], 'no-store')
  // Bytes, not characters.
  const wide = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"${'é'.repeat(500_000)}"}}`
  t.equal((await post(app, wide.padEnd(1_048_576 - 500_000))).statusCode, 200)
  t.equal((await post(app, wide.padEnd(1_048_577 - 500_000))).statusCode, 413)
})

test("the limit is the endpoint's own, whatever the application's is", async t => {
  for (const bodyLimit of [1_000, 50_000_000]) {
    const { app } = await createNotes(t, { server: { bodyLimit } })
    const text = JSON.stringify(ping)
    t.equal((await post(app, text.padEnd(1_048_576))).statusCode, 200)
    t.equal((await post(app, text.padEnd(1_048_577))).statusCode, 413)
  }
  const small = await createNotes(t, { mcp: { bodyLimit: 2_000 } })
  t.equal((await post(small.app, JSON.stringify(ping).padEnd(2_001))).statusCode, 413)
})

test('a body without a length is counted as it comes', async t => {
  const { app } = await createNotes(t)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const status = await new Promise((resolve, reject) => {
    const headers = { authorization: 'Bearer ana', 'content-type': 'application/json' }
    const request = httpRequest(
      { port, host: '127.0.0.1', path: '/mcp', method: 'POST', headers },
      answer => {
        answer.resume()
        resolve(answer.statusCode)
      },
    )
    request.on('error', reject)
    request.write(JSON.stringify(ping).padEnd(600_000))
    request.end(' '.repeat(600_000))
  })
  t.equal(status, 413)
})

test('a body of another length than it says is no message', async t => {
  const { app } = await createNotes(t)
  const answer = await post(app, ping, { headers: { 'content-length': '20' } })
  t.equal(answer.statusCode, 400)
  t.equal(answer.json().error.code, -32600)
})

test('JSON nested beyond reason is answered, and the next request too', async t => {
  const { app } = await createNotes(t)
  const deep = `${'['.repeat(250_000)}${']'.repeat(250_000)}`
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"notes_create","arguments":{"title":${deep}}}}`
  const answer = await post(app, body)
  t.equal(answer.statusCode, 200)
  t.ok(answer.json().error ?? answer.json().result.isError)
  t.equal((await modern(app, 'tools/list')).statusCode, 200)
})
