import { test } from 'tap'
import { legacy, modern } from './toy-client.ts'
import { createNotes, toyOptions } from './toy-notes.ts'
import { createPlain } from './toy-plain.ts'

const serverInfo = { name: 'toys', title: 'Toys', version: '1.2.3' }
const instructions = 'Tools for the toy notes.'

test('server/discover says what there is, once, for everything', async t => {
  const { app } = await createNotes(t)
  const answer = await modern(app, 'server/discover')
  t.equal(answer.statusCode, 200)
  t.equal(answer.headers['mcp-protocol-version'], '2026-07-28')
  t.same(answer.json(), {
    jsonrpc: '2.0',
    id: 1,
    result: {
      supportedVersions: ['2026-07-28', '2025-06-18', '2025-03-26'],
      capabilities: { tools: {} },
      instructions,
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
    },
  })
})

test('initialize answers version, capabilities, server and instructions, and nothing of 2026-07-28', async t => {
  const { app } = await createNotes(t)
  const answer = await legacy(app, 'initialize', {
    protocolVersion: '2025-06-18',
    capabilities: { elicitation: {}, sampling: {} },
    clientInfo: { name: 'desk', version: '2.3.0' },
  })
  t.equal(answer.statusCode, 200)
  t.same(answer.json(), {
    jsonrpc: '2.0',
    id: 1,
    result: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: { listChanged: false } },
      serverInfo,
      instructions,
    },
  })
})

test('initialize names the version it was asked for, or the newest of 2025 where it is not spoken', async t => {
  const { app } = await createNotes(t)
  for (const [asked, answered] of [
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2026-07-28', '2025-06-18'],
    ['2025-11-25', '2025-06-18'],
    ['2024-11-05', '2025-06-18'],
    ['9999-12-31', '2025-06-18'],
    ['', '2025-06-18'],
    ['__proto__', '2025-06-18'],
  ] as const) {
    const answer = await legacy(app, 'initialize', { protocolVersion: asked })
    t.equal(answer.statusCode, 200, asked)
    t.equal(answer.json().result.protocolVersion, answered, asked)
    t.equal(answer.headers['mcp-protocol-version'], answered, asked)
  }
})

test('the header of an initialize settles nothing', async t => {
  const { app } = await createNotes(t)
  const cases: readonly (readonly [string, number | string])[] = [
    ['2025-06-18', '2025-03-26'],
    ['2025-03-26', '2025-03-26'],
    // A widely used client sends its own newest version there.
    ['2025-11-25', '2025-03-26'],
    ['2025-99-99', '2025-03-26'],
    ['2024-11-05', -32022],
    ['1999-01-01', -32022],
    ['2027-01-01', -32022],
    ['nonsense', -32022],
    ['2026-07-28', -32602],
  ]
  for (const [header, expected] of cases) {
    const headers = { 'mcp-protocol-version': header }
    const answer = await legacy(app, 'initialize', { protocolVersion: '2025-03-26' }, { headers })
    const { result, error } = answer.json()
    t.equal(result?.protocolVersion ?? error.code, expected, header)
    t.equal(answer.statusCode, typeof expected === 'number' ? 400 : 200, header)
  }
})

test('initialize needs the version only; capabilities, when sent, are an object', async t => {
  const { app } = await createNotes(t)
  for (const params of [undefined, {}, { protocolVersion: 20250618 }, { protocolVersion: null }]) {
    const answer = await legacy(app, 'initialize', params)
    t.equal(answer.statusCode, 200)
    t.equal(answer.json().error.code, -32602, JSON.stringify(params))
  }
  for (const capabilities of [true, null, [], 'x', 1]) {
    const answer = await legacy(app, 'initialize', { protocolVersion: '2025-06-18', capabilities })
    t.equal(answer.statusCode, 200)
    t.equal(answer.json().error.code, -32602, JSON.stringify(capabilities))
  }
  for (const clientInfo of [undefined, null, 'x', { name: 7 }, { name: 'a'.repeat(10_000), version: 1 }]) {
    const answer = await legacy(app, 'initialize', { protocolVersion: '2025-06-18', clientInfo })
    t.ok(answer.json().result, JSON.stringify(clientInfo)?.slice(0, 50))
  }
})

test('nothing is remembered: every method works without a handshake', async t => {
  const { app } = await createNotes(t)
  t.ok((await legacy(app, 'tools/list')).json().result.tools)
  t.ok((await legacy(app, 'tools/call', { name: 'notes_list' })).json().result.content)
})

test('ping answers an empty result, in 2025 only', async t => {
  const { app } = await createNotes(t)
  for (const params of [undefined, {}, { _meta: { progressToken: 1 } }]) {
    t.same((await legacy(app, 'ping', params)).json(), { jsonrpc: '2.0', id: 1, result: {} })
  }
  t.equal((await modern(app, 'ping')).statusCode, 404)
})

test('a server that has no tools announces none and has no methods for them', async t => {
  const { app } = await createPlain(t, { isExposed: false })
  t.same((await modern(app, 'server/discover')).json().result.capabilities, {})
  const initialize = await legacy(app, 'initialize', { protocolVersion: '2025-06-18' })
  t.same(initialize.json().result.capabilities, {})
  for (const method of ['tools/list', 'tools/call']) {
    const old = await legacy(app, method, { name: 'x' })
    t.equal(old.statusCode, 200)
    t.equal(old.json().error.code, -32601, method)
    const { statusCode, body } = await modern(app, method, { name: 'x' })
    t.equal(statusCode, 404)
    t.equal(JSON.parse(body).error.code, -32601, method)
  }
})

test('instructions are left out where there are none, and a title too', async t => {
  const { app } = await createNotes(t, {
    mcp: { instructions: undefined, serverInfo: { name: 'bare', version: '0.0.1' } },
  })
  const discover = (await modern(app, 'server/discover')).json().result
  t.notOk('instructions' in discover)
  t.same(discover._meta, { 'io.modelcontextprotocol/serverInfo': { name: 'bare', version: '0.0.1' } })
  const initialize = (await legacy(app, 'initialize', { protocolVersion: '2025-06-18' })).json().result
  t.notOk('instructions' in initialize)
  t.same(initialize.serverInfo, { name: 'bare', version: '0.0.1' })
})

test('2025-03-26 is told nothing that it does not know', async t => {
  const { app } = await createNotes(t)
  const headers = { 'mcp-protocol-version': '2025-03-26' }
  const initialize = (await legacy(app, 'initialize', { protocolVersion: '2025-03-26' })).json().result
  t.same(initialize.serverInfo, { name: 'toys', version: '1.2.3' })

  const old = (await legacy(app, 'tools/list', {}, { headers })).json().result.tools
  const known = (await legacy(app, 'tools/list')).json().result.tools
  t.equal(old.length, known.length)
  for (const [index, tool] of old.entries()) {
    t.same(Object.keys(tool).sort(), ['annotations', 'description', 'inputSchema', 'name'])
    const { title, outputSchema, ...rest } = known[index]
    t.same(tool, rest)
    t.type(title, 'string')
    t.ok(outputSchema === undefined || typeof outputSchema === 'object')
  }

  const call = (await legacy(app, 'tools/call', { name: 'notes_list' }, { headers })).json().result
  t.same(Object.keys(call), ['content'])
  const structured = (await legacy(app, 'tools/call', { name: 'notes_list' })).json().result
  t.same(Object.keys(structured), ['content', 'structuredContent'])
})

test('every result of 2026-07-28 carries its type and the server, and only lists say how long they hold', async t => {
  const { app } = await createNotes(t)
  const list = (await modern(app, 'tools/list')).json().result
  t.match(list, { resultType: 'complete', ttlMs: 0, cacheScope: 'private' })
  t.same(list._meta, { 'io.modelcontextprotocol/serverInfo': serverInfo })
  const calls = [
    { name: 'notes_list' },
    { name: 'notes_get', arguments: { note_id: 'missing' } },
    { name: 'notes_mark_read', arguments: { note_id: 'a' } },
    { name: 'notes_delete', arguments: { note_id: 'a' } },
  ]
  for (const params of calls) {
    const { result } = (await modern(app, 'tools/call', params)).json()
    t.equal(result.resultType, 'complete', params.name)
    t.same(result._meta, { 'io.modelcontextprotocol/serverInfo': serverInfo })
    t.notOk('ttlMs' in result || 'cacheScope' in result, 'a call is not kept')
  }
  for (const params of calls) {
    const { result } = (await legacy(app, 'tools/call', params)).json()
    t.notOk('resultType' in result || '_meta' in result || 'ttlMs' in result, `${params.name} in 2025`)
  }
  t.same(toyOptions.serverInfo, serverInfo)
})
