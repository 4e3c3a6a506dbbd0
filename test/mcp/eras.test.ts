import { test } from 'tap'
import {
  capabilitiesKey,
  clientInfoKey,
  legacy,
  type More,
  modern,
  post,
  toModernHeaders,
  versionKey,
} from './toy-client.ts'
import { createNotes, type Toy } from './toy-notes.ts'

const spoken = ['2026-07-28', '2025-06-18', '2025-03-26']

/** A request with an envelope of any sort. */
function enveloped({ app }: Toy, meta: unknown, more: More & { method?: string } = {}) {
  const { method = 'tools/list' } = more
  const body = { jsonrpc: '2.0', id: 1, method, params: { _meta: meta } }
  return post(app, body, { ...more, headers: { ...toModernHeaders(method), ...more.headers } })
}

test('an envelope in the body makes it 2026-07-28', async t => {
  const toy = await createNotes(t)
  const answer = await modern(toy.app, 'tools/list')
  t.equal(answer.statusCode, 200)
  t.equal(answer.headers['mcp-protocol-version'], '2026-07-28')
  t.equal(answer.json().result.resultType, 'complete')
})

test('no envelope and a 2025 header, or none, make it 2025; without one it is 2025-06-18', async t => {
  const { app } = await createNotes(t)
  for (const [header, version] of [
    [undefined, '2025-06-18'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    [' 2025-03-26\t', '2025-03-26'],
  ]) {
    for (const params of [undefined, {}, { _meta: {} }, { _meta: { progressToken: 1 } }, { _meta: 'x' }]) {
      const answer = await legacy(app, 'tools/list', params, { headers: { 'mcp-protocol-version': header } })
      t.equal(answer.statusCode, 200, `${header} ${JSON.stringify(params)}`)
      t.equal(answer.headers['mcp-protocol-version'], version)
      t.notOk(answer.json().result.resultType)
    }
  }
})

test('Mcp-Method and Mcp-Name never choose the era, nor are they checked in 2025', async t => {
  const { app } = await createNotes(t)
  for (const headers of [
    { 'mcp-method': 'tools/list', 'mcp-name': 'notes_list' },
    { 'mcp-method': 'wrong', 'mcp-name': '=?base64?!?=', 'mcp-param-x': '1' },
  ]) {
    const answer = await legacy(app, 'tools/list', {}, { headers })
    t.equal(answer.statusCode, 200)
    t.equal(answer.headers['mcp-protocol-version'], '2025-06-18')
  }
})

test('the header alone is no 2026-07-28, and never falls to the old era', async t => {
  const { app } = await createNotes(t)
  const headers = toModernHeaders('tools/list')
  for (const method of ['tools/list', 'initialize', 'server/discover', 'ping', 'nothing']) {
    for (const params of [
      undefined,
      {},
      { _meta: {} },
      { _meta: { [capabilitiesKey]: {} } },
      { _meta: [] },
    ]) {
      const answer = await legacy(app, method, params, { headers })
      t.equal(answer.statusCode, 400, `${method} ${JSON.stringify(params)}`)
      t.equal(answer.json().error.code, -32602)
      t.equal(answer.json().id, 1)
    }
  }
  const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }
  t.equal((await post(app, notification, { headers })).statusCode, 202)
})

test('a version that is not spoken is -32022 with those that are, in header or envelope, in both eras', async t => {
  const toy = await createNotes(t)
  const refusal = (requested: string) => ({
    jsonrpc: '2.0',
    id: 1,
    error: {
      code: -32022,
      message: 'Unsupported protocol version',
      data: { supported: spoken, requested },
    },
  })
  for (const version of ['1999-01-01', '2024-11-05', '2025-11-25', '2027-01-01', 'latest', '']) {
    const header = await legacy(toy.app, 'tools/list', {}, { headers: { 'mcp-protocol-version': version } })
    t.equal(header.statusCode, 400, `header ${version}`)
    t.same(header.json(), refusal(version))
    t.notOk(header.headers['mcp-protocol-version'], 'nothing was settled')
    const envelope = await enveloped(toy, { [versionKey]: version, [capabilitiesKey]: {} })
    t.equal(envelope.statusCode, 400, `envelope ${version}`)
    t.same(envelope.json(), refusal(version))
    const meta = { [versionKey]: '2026-07-28', [capabilitiesKey]: {} }
    const beside = await enveloped(toy, meta, { headers: { 'mcp-protocol-version': version } })
    t.equal(beside.statusCode, 400, `header ${version} beside an envelope`)
    t.same(beside.json(), refusal(version))
  }
})

test('an envelope that names a 2025 version is -32022, since those have none', async t => {
  const toy = await createNotes(t)
  for (const version of ['2025-06-18', '2025-03-26']) {
    const meta = { [versionKey]: version, [capabilitiesKey]: {} }
    for (const header of [version, '2026-07-28', undefined]) {
      const answer = await enveloped(toy, meta, { headers: { 'mcp-protocol-version': header } })
      t.equal(answer.statusCode, 400)
      t.match(answer.json().error, { code: -32022, data: { requested: version } })
    }
  }
})

test('an envelope whose version is no string is -32602', async t => {
  const toy = await createNotes(t)
  for (const version of [null, 20260728, ['2026-07-28'], {}, true]) {
    for (const header of ['2026-07-28', '2025-06-18', '1999-01-01']) {
      const meta = { [versionKey]: version, [capabilitiesKey]: {} }
      const answer = await enveloped(toy, meta, { headers: { 'mcp-protocol-version': header } })
      t.equal(answer.statusCode, 400)
      t.equal(answer.json().error.code, -32602, JSON.stringify(version))
    }
  }
})

test('the capabilities of the client are required and an object; who it is may be left out', async t => {
  const toy = await createNotes(t)
  for (const capabilities of [undefined, null, true, 'x', 1, []]) {
    const answer = await enveloped(toy, { [versionKey]: '2026-07-28', [capabilitiesKey]: capabilities })
    t.equal(answer.statusCode, 400)
    t.equal(answer.json().error.code, -32602, JSON.stringify(capabilities))
    t.match(answer.json().error.message, capabilitiesKey)
  }
  for (const info of [undefined, null, 'me', {}, { name: 'me' }, { name: 'me', version: '1', more: {} }]) {
    const meta = { [versionKey]: '2026-07-28', [capabilitiesKey]: {}, [clientInfoKey]: info }
    t.equal((await enveloped(toy, meta)).statusCode, 200, JSON.stringify(info))
  }
})

test('an unknown method is 404 in 2026-07-28 and in the body of a 200 in 2025', async t => {
  const { app } = await createNotes(t)
  const unknown = [
    'nothing',
    '',
    'tools',
    'tools/',
    'constructor',
    '__proto__',
    'logging/setLevel',
    'x'.repeat(900),
  ]
  for (const method of [...unknown, 'initialize', 'ping', 'resources/list', 'prompts/get']) {
    const answer = await modern(app, method)
    t.equal(answer.statusCode, 404, method)
    t.equal(answer.json().error.code, -32601)
    t.equal(answer.headers['mcp-protocol-version'], '2026-07-28')
  }
  for (const method of [...unknown, 'server/discover', 'resources/read', 'completion/complete']) {
    const answer = await legacy(app, method)
    t.equal(answer.statusCode, 200, method)
    t.equal(answer.json().error.code, -32601)
    t.equal(answer.json().id, 1)
    t.ok(answer.json().error.message.length < 200, 'the method is not echoed at length')
  }
})

test('in 2025 params may be a list by JSON-RPC, but of no method', async t => {
  const { app } = await createNotes(t)
  for (const method of ['initialize', 'ping', 'tools/list', 'tools/call']) {
    const answer = await post(app, { jsonrpc: '2.0', id: 1, method, params: [1] })
    t.equal(answer.statusCode, 200)
    t.equal(answer.json().error.code, -32602, method)
  }
  t.equal((await post(app, { jsonrpc: '2.0', id: 1, method: 'x', params: [] })).json().error.code, -32601)
})

test('an endpoint may speak fewer versions', async t => {
  const old = await createNotes(t, { mcp: { protocolVersions: ['2025-03-26'] } })
  t.match((await modern(old.app, 'tools/list')).json().error, {
    code: -32022,
    data: { supported: ['2025-03-26'], requested: '2026-07-28' },
  })
  const header = { 'mcp-protocol-version': '2026-07-28' }
  t.equal((await legacy(old.app, 'ping', {}, { headers: header })).json().error.code, -32022)
  t.equal((await legacy(old.app, 'ping')).headers['mcp-protocol-version'], '2025-03-26')

  const only = await createNotes(t, { mcp: { protocolVersions: ['2026-07-28'] } })
  t.equal((await modern(only.app, 'tools/list')).statusCode, 200)
  for (const method of ['tools/list', 'initialize']) {
    const answer = await legacy(only.app, method, { protocolVersion: '2025-06-18' })
    t.equal(answer.statusCode, 400, method)
    t.equal(answer.json().error.code, -32602)
  }
  const response = await post(only.app, { jsonrpc: '2.0', id: 1, result: {} })
  t.equal(response.statusCode, 400, 'and takes no responses')
})

test('2025-11-25 works where it is added', async t => {
  const protocolVersions = ['2026-07-28', '2025-11-25', '2025-06-18']
  const { app } = await createNotes(t, { mcp: { protocolVersions } })
  const headers = { 'mcp-protocol-version': '2025-11-25' }
  const list = await legacy(app, 'tools/list', {}, { headers })
  t.equal(list.headers['mcp-protocol-version'], '2025-11-25')
  t.ok(list.json().result.tools[0].title)
  const call = await legacy(app, 'tools/call', { name: 'notes_list' }, { headers })
  t.ok(call.json().result.structuredContent)
  t.equal((await legacy(app, 'ping')).headers['mcp-protocol-version'], '2025-06-18', 'and is no default')
})
