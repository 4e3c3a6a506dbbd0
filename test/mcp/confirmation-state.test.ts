import { createHmac } from 'node:crypto'
import { createSigner, createVerifier } from 'fast-jwt'
import { test } from 'tap'
import type { McpOptions } from '../../plugins/mcp/index.ts'
import { askFirst, attempt, type Call, codeOf, yes } from './confirmation-client.ts'
import { createShelf, keys, type Shelf } from './toy-shelf.ts'

const [first = '', second = ''] = keys

/** The code of a yes that comes with this state. */
async function present({ app }: Shelf, state: unknown, call: Call = {}): Promise<string | number> {
  return codeOf(await attempt(app, { ...call, state, responses: yes }))
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function decode(state: string, part: 0 | 1) {
  return JSON.parse(Buffer.from(state.split('.')[part] ?? '', 'base64url').toString())
}

/** A state with other members, signed with a key. */
function forge(header: unknown, claims: unknown, key = first): string {
  const input = `${encode(header)}.${encode(claims)}`
  return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`
}

test('a state with one character changed is refused, wherever it is', async t => {
  const shelf = await createShelf(t)
  const { state } = await askFirst(shelf.app)
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const accepted: number[] = []
  for (const [index, character] of [...state].entries()) {
    const other = character === '.' ? 'A' : alphabet[alphabet.indexOf(character) ^ 1]
    const changed = `${state.slice(0, index)}${other}${state.slice(index + 1)}`
    if ((await present(shelf, changed)) !== -32602) accepted.push(index)
  }
  t.same(accepted, [])
  t.equal(shelf.books.size, 3)
  t.equal(await present(shelf, state), 'done', 'unchanged it is good')
})

test('what is no state is refused', async t => {
  const shelf = await createShelf(t)
  const { state } = await askFirst(shelf.app)
  const [header, claims, signature] = state.split('.')
  for (const wrong of [
    null,
    7,
    {},
    [state],
    '',
    '.',
    '..',
    'state',
    `${header}.${claims}`,
    `${header}.${claims}.`,
    `${header}.${claims}.${signature?.slice(0, -1)}`,
    `${state}=`,
    `${state} `,
    ` ${state}`,
    `${state}\n`,
    `${state}.${signature}`,
    `${header}.${claims}.${signature?.slice(0, -1)}+`,
    'a'.repeat(100_000),
    `${state}${'A'.repeat(10_000)}`,
  ])
    t.equal(await present(shelf, wrong), -32602, JSON.stringify(wrong).slice(0, 60))
  t.equal(shelf.books.size, 3)
})

test('a state is refused for another person, client, context, tool or arguments', async t => {
  const people = {
    ana: { id: 'usr_ana', clientId: 'desk', scopes: ['notes:read', 'notes:write'] },
    ana2: { id: 'usr_ana', clientId: 'phone', scopes: ['notes:read', 'notes:write'] },
    ana3: { id: 'usr_ana', clientId: null, scopes: ['notes:read', 'notes:write'] },
    rob: { id: 'usr_rob', clientId: 'desk', scopes: ['notes:read', 'notes:write'] },
  }
  const authenticate: McpOptions['authenticate'] = request => {
    const found = Object.entries(people).find(([name]) => request.headers.authorization === `Bearer ${name}`)
    return found?.[1] ?? people.ana
  }
  const context = async (_caller: unknown, request: { headers: Record<string, unknown> }) =>
    String(request.headers['x-workspace-id'] ?? '')
  const shelf = await createShelf(t, {
    mcp: { authenticate, confirmation: { keys: [first], context } },
    routes: api =>
      api.delete(
        '/books/:book_id/cover',
        {
          schema: { operationId: 'covers_delete', summary: 'Remove a cover', response: { 204: {} } },
          config: { scopes: ['notes:write'], mcp: true },
          serializerCompiler: () => () => '',
        },
        async () => null,
      ),
  })
  const args = { book_id: 'b1', weight: 1, reason: 'old' }
  const { state } = await askFirst(shelf.app, { args })
  for (const [name, call] of Object.entries({
    'another person': { args, more: { as: 'rob' } },
    'another client': { args, more: { as: 'ana2' } },
    'no client': { args, more: { as: 'ana3' } },
    'another context': { args, more: { headers: { 'x-workspace-id': 'wsp_2' } } },
    'another tool': { args: { book_id: 'b1' }, name: 'covers_delete' },
    'another record': { args: { ...args, book_id: 'b2' } },
    'another value': { args: { ...args, weight: 2 } },
    'another type': { args: { ...args, weight: '1' } },
    'one argument less': { args: { book_id: 'b1', weight: 1 } },
    'one argument more': { args: { ...args, if_match: '"1"' } },
    'no arguments': { args: {} },
  }))
    t.equal(await present(shelf, state, call), -32602, name)
  t.equal(shelf.books.size, 3)
  const same = { args: { weight: 1.0, reason: 'old', book_id: 'b1' } }
  t.equal(await present(shelf, state, same), 'done', 'the order of arguments is nothing')
})

test('the form of numbers and the order of members are not part of a call', async t => {
  const shelf = await createShelf(t)
  const body = (weight: string, rest: object) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'books_delete',
        arguments: { weight: '#', book_id: 'b1' },
        ...rest,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
        },
      },
    }).replace('"#"', weight)
  const send = (text: string) =>
    shelf.app.inject({
      method: 'POST',
      url: '/mcp',
      headers: {
        authorization: 'Bearer ana',
        'content-type': 'application/json',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'books_delete',
      },
      payload: text,
    })
  const state = (await send(body('1', {}))).json().result.requestState
  t.equal(codeOf(await send(body('1.5', { requestState: state }))), -32602)
  for (const number of ['1.0', '1e0', '10E-1', '1.000'])
    t.equal(codeOf(await send(body(number, { requestState: state }))), 'asked', number)
  t.equal(codeOf(await send(body('1.0', { requestState: state, inputResponses: yes }))), 'done')
})

test('nested arguments count, in whatever order their members are', async t => {
  const { createStateKeeper } = await import('../../plugins/mcp/confirmation/state.ts')
  const keeper = createStateKeeper({ keys: [first], lifetime: 300 })
  const binding = (args: Readonly<Record<string, unknown>>) => ({
    ...{ person: 'a', client: null, context: '', tool: 't' },
    arguments: args,
  })
  const state = keeper.sign(binding({ a: [1, { x: null, y: 'é' }], b: true }), null)
  const kindFor = (args: Readonly<Record<string, unknown>>) => keeper.read(state, binding(args)).kind
  t.equal(kindFor({ b: true, a: [1, { y: 'é', x: null }] }), 'valid')
  t.equal(kindFor({ b: true, a: [{ y: 'é', x: null }, 1] }), 'refused', 'the order of a list is its meaning')
  t.equal(kindFor({ b: true, a: [1, { y: 'é' }] }), 'refused')
  t.equal(kindFor({ b: true, a: [1, { y: 'e\u0301', x: null }] }), 'refused')
  t.equal(kindFor({ b: 'true', a: [1, { y: 'é', x: null }] }), 'refused')
  t.throws(() => createStateKeeper({ keys: [], lifetime: 300 }), {
    message: 'a confirmation key is required',
  })
  t.end()
})

test('only this type, this algorithm and these claims make a state', async t => {
  const shelf = await createShelf(t)
  const { state } = await askFirst(shelf.app)
  const header = decode(state, 0)
  const claims = decode(state, 1)
  t.same(header, { alg: 'HS256', typ: 'mcp-confirmation+jwt' })
  t.equal(claims.exp - claims.iat, 300)
  const { exp: _exp, ...endless } = claims
  const { jti: _jti, ...nameless } = claims
  const { etag: _etag, ...unseen } = claims
  for (const [name, wrong] of Object.entries({
    'no algorithm': `${encode({ ...header, alg: 'none' })}.${encode(claims)}.`,
    'no algorithm, with a signature': forge({ ...header, alg: 'none' }, claims),
    'another algorithm': createSigner({
      key: first,
      algorithm: 'HS512',
      header: { ...header, alg: 'HS512' },
    })(claims),
    'no type': forge({ alg: 'HS256' }, claims),
    'the type of a token': forge({ ...header, typ: 'JWT' }, claims),
    'the type of an access token': forge({ ...header, typ: 'at+jwt' }, claims),
    'another key': forge(header, claims, second),
    'no expiry': forge(header, endless),
    'an expiry that is no number': forge(header, { ...claims, exp: 'never' }),
    'no id': forge(header, nameless),
    'no word on the ETag': forge(header, unseen),
    'an ETag that is no text': forge(header, { ...claims, etag: 1 }),
    'claims that are a list': forge(header, [claims]),
    'claims that are a text': forge(header, 'claims'),
  }))
    t.equal(await present(shelf, wrong), -32602, name)
  t.equal(shelf.books.size, 3)
  t.equal(await present(shelf, forge(header, claims)), 'done', 'the forge itself works')
})

test('no token is a state, even signed with the same key, and no state is a token', async t => {
  const shelf = await createShelf(t)
  const sign = createSigner({ key: first, algorithm: 'HS256', expiresIn: 300_000 })
  const { state } = await askFirst(shelf.app)
  const token = sign({
    ...decode(state, 1),
    aud: 'https://api.test/mcp',
    client_id: 'desk',
    scope: 'notes:write',
  })
  t.equal(await present(shelf, token), -32602)
  const verify = createVerifier({ key: first, algorithms: ['HS256'], checkTyp: 'JWT' })
  t.ok(verify(token))
  t.throws(() => verify(state), { code: 'FAST_JWT_INVALID_TYPE' })
  const { statusCode } = await attempt(shelf.app, {
    more: { as: null, headers: { authorization: `Bearer ${state}` } },
  })
  t.equal(statusCode, 401)
})

test('keys rotate: all of them verify, the first signs, a removed one is refused', async t => {
  const withKeys = (...list: string[]) => createShelf(t, { mcp: { confirmation: { keys: list } } })
  const old = await withKeys(first)
  const { state } = await askFirst(old.app)
  const both = await withKeys(second, first)
  t.equal(await present(both, state), 'done', 'a replica that knows the key of before')
  const next = await askFirst(both.app, { args: { book_id: 'b2' } })
  t.equal(await present(old, next.state, { args: { book_id: 'b2' } }), -32602, 'signed with the new key')
  const after = await withKeys(second)
  t.equal(await present(after, state), -32602, 'the old key is gone')
  t.equal(await present(after, next.state, { args: { book_id: 'b2' } }), 'done')
})

test('whoever presents the expired state of another learns nothing of its age', async t => {
  const shelf = await createShelf(t)
  const { state } = await askFirst(shelf.app)
  const old = forge(decode(state, 0), { ...decode(state, 1), exp: 1_000_000_000 })
  t.equal(await present(shelf, old), 'asked')
  t.equal(await present(shelf, old, { args: { book_id: 'b2' } }), -32602)
})
