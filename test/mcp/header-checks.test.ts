import { test } from 'tap'
import { type Headers, legacy, modern } from './toy-client.ts'
import { createNotes, type Toy } from './toy-notes.ts'

const base64 = (text: string | Buffer) => `=?base64?${Buffer.from(text).toString('base64')}?=`

/** The message of a -32020, checked to be one; null where the request was answered. */
async function mismatchOf({ app }: Toy, method: string, params: Record<string, unknown>, headers: Headers) {
  const answer = await modern(app, method, params, { headers })
  const { error } = answer.json()
  if (error?.code !== -32020) return null
  if (answer.statusCode !== 400) throw new Error(`-32020 with ${answer.statusCode}`)
  return error.message as string
}

test('a header that must repeat the body is required', async t => {
  const toy = await createNotes(t)
  const params = { name: 'notes_list' }
  for (const [header, name, body] of [
    ['mcp-protocol-version', 'MCP-Protocol-Version', '2026-07-28'],
    ['mcp-method', 'Mcp-Method', 'tools/call'],
    ['mcp-name', 'Mcp-Name', 'notes_list'],
  ] as const) {
    const message = await mismatchOf(toy, 'tools/call', params, { [header]: undefined })
    t.match(message, /^Header mismatch: /)
    t.match(message, name)
    t.match(message, body, 'the value of the body is named')
  }
  t.same(toy.reached, [])
})

test('a header that says something else is a mismatch that names both', async t => {
  const toy = await createNotes(t)
  const params = { name: 'notes_list' }
  for (const [header, value, name, body] of [
    ['mcp-protocol-version', '2025-06-18', 'MCP-Protocol-Version', '2026-07-28'],
    ['mcp-method', 'tools/list', 'Mcp-Method', 'tools/call'],
    ['mcp-method', 'TOOLS/CALL', 'Mcp-Method', 'tools/call'],
    ['mcp-name', 'notes_get', 'Mcp-Name', 'notes_list'],
    ['mcp-name', 'Notes_List', 'Mcp-Name', 'notes_list'],
  ] as const) {
    const message = await mismatchOf(toy, 'tools/call', params, { [header]: value })
    t.match(message, /^Header mismatch: /)
    for (const part of [name, value, body]) t.match(message, part, `${header} ${value}`)
  }
  t.same(toy.reached, [])
})

test('names of headers are in any case, and blanks around values are ignored', async t => {
  const { app } = await createNotes(t)
  const answer = await modern(
    app,
    'tools/call',
    { name: 'notes_list' },
    {
      headers: {
        'mcp-protocol-version': undefined,
        'MCP-PROTOCOL-VERSION': ' 2026-07-28\t',
        'mcp-method': undefined,
        'Mcp-Method': '\t tools/call ',
        'mcp-name': undefined,
        'MCP-Name': '  notes_list  ',
      },
    },
  )
  t.equal(answer.statusCode, 200)
  t.ok(answer.json().result)
})

test('a header sent twice is not what the body says', async t => {
  const toy = await createNotes(t)
  const params = { name: 'notes_list' }
  for (const header of ['mcp-method', 'mcp-name']) {
    const value = header === 'mcp-name' ? 'notes_list' : 'tools/call'
    const message = await mismatchOf(toy, 'tools/call', params, { [header]: [value, value] })
    t.match(message, /^Header mismatch: /, header)
  }
  const twice = { 'mcp-protocol-version': ['2026-07-28', '2026-07-28'] }
  const answer = await modern(toy.app, 'tools/list', {}, { headers: twice })
  t.equal(answer.statusCode, 400)
  t.equal(answer.json().error.code, -32022, 'such a version is not spoken')
})

test('Mcp-Name may be encoded, and is compared as what it encodes', async t => {
  const toy = await createNotes(t)
  const params = { name: 'notes_list' }
  t.equal(await mismatchOf(toy, 'tools/call', params, { 'mcp-name': base64('notes_list') }), null)
  t.match(await mismatchOf(toy, 'tools/call', params, { 'mcp-name': base64('notes_get') }), 'notes_get')

  const name = '日本 é🙂'
  t.equal(await mismatchOf(toy, 'tools/call', { name }, { 'mcp-name': base64(name) }), null)
  const unknown = await modern(toy.app, 'tools/call', { name }, { headers: { 'mcp-name': base64(name) } })
  t.equal(unknown.json().error.code, -32602, 'headers agree, and there is no such tool')

  const literal = '=?base64?Zm9v?='
  const doubly = { 'mcp-name': base64(literal) }
  t.equal(await mismatchOf(toy, 'tools/call', { name: literal }, doubly), null)
  t.match(
    await mismatchOf(toy, 'tools/call', { name: literal }, { 'mcp-name': literal }),
    /^Header mismatch: /,
  )
  t.equal(await mismatchOf(toy, 'tools/call', { name: '' }, { 'mcp-name': base64('') }), null)
})

test('what is encoded badly is a mismatch', async t => {
  const toy = await createNotes(t)
  const name = 'notes_list'
  const encoded = Buffer.from(name).toString('base64')
  const values = [
    `=?base64?${encoded.replaceAll('=', '')}?=`,
    `=?base64?${encoded}=?=`,
    `=?base64? ${encoded}?=`,
    `=?base64?${encoded.slice(0, 4)} ${encoded.slice(4)}?=`,
    '=?base64?***?=',
    '=?base64?bm90ZXNfbGlzdA==?',
    `=?BASE64?${encoded}?=`,
    `=?utf-8?B?${encoded}?=`,
    base64(Buffer.from([0xff, 0xfe])),
    base64(Buffer.concat([Buffer.from(name), Buffer.from([0xc3])])),
    'notes_list\x7f',
    'notes\xe9',
  ]
  for (const value of values) {
    const message = await mismatchOf(toy, 'tools/call', { name }, { 'mcp-name': value })
    t.match(message, /^Header mismatch: Mcp-Name/, JSON.stringify(value))
  }
  t.same(toy.reached, [])
})

test('a tools/call without a name needs no header, and is refused for that', async t => {
  const toy = await createNotes(t)
  for (const params of [{}, { name: 7 }, { name: null }]) {
    const answer = await modern(toy.app, 'tools/call', params)
    t.equal(answer.statusCode, 200)
    t.equal(answer.json().error.code, -32602)
    const message = await mismatchOf(toy, 'tools/call', params, { 'mcp-name': 'notes_list' })
    t.match(message, /notes_list.*the body has no such value/)
  }
})

test('on other methods Mcp-Name means nothing, or is checked when it is sent', async t => {
  const toy = await createNotes(t)
  t.equal(await mismatchOf(toy, 'tools/list', {}, { 'mcp-name': 'whatever' }), null)
  for (const [method, params] of [
    ['resources/read', { uri: 'toy://a' }],
    ['prompts/get', { name: 'toy://a' }],
  ] as const) {
    t.equal(await mismatchOf(toy, method, params, {}), null, `${method}: absent`)
    t.equal(await mismatchOf(toy, method, params, { 'mcp-name': 'toy://a' }), null, `${method}: the same`)
    t.match(await mismatchOf(toy, method, params, { 'mcp-name': 'toy://b' }), /^Header mismatch: Mcp-Name/)
  }
})

test('strictHeaders requires Mcp-Name where the specification does', async t => {
  const toy = await createNotes(t, { mcp: { strictHeaders: true } })
  t.match(await mismatchOf(toy, 'resources/read', { uri: 'toy://a' }, {}), /Mcp-Name header is missing/)
  t.match(await mismatchOf(toy, 'prompts/get', { name: 'a' }, {}), /Mcp-Name header is missing/)
  t.equal(await mismatchOf(toy, 'tools/list', {}, {}), null)
})

test('the message quotes at most a little of what was sent', async t => {
  const toy = await createNotes(t)
  const name = 'n'.repeat(100_000)
  const message = await mismatchOf(toy, 'tools/call', { name }, { 'mcp-name': 'm'.repeat(10_000) })
  t.ok(message && message.length < 600)
})

test('the headers of a request that names no version are those of 2025: nothing is compared', async t => {
  const { app } = await createNotes(t)
  const headers = { 'mcp-method': 'other', 'mcp-name': 'other' }
  const answer = await legacy(app, 'tools/call', { name: 'notes_list' }, { headers })
  t.ok(answer.json().result.content)
})
