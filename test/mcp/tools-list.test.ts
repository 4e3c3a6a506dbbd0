import type { Readable } from 'node:stream'
import { createGzip, gunzipSync } from 'node:zlib'
import Fastify, { type FastifyInstance } from 'fastify'
import { test } from 'tap'
import { toCursor } from '../../plugins/mcp/cursor.ts'
import { mcp } from '../../plugins/mcp/index.ts'
import { refuse } from './toy-callers.ts'
import { call, legacy, type More, modern } from './toy-client.ts'
import { createNotes } from './toy-notes.ts'
import { createPlain } from './toy-plain.ts'

const readers = ['notes_get', 'notes_list']
const everything = [
  'notes_create',
  'notes_delete',
  'notes_get',
  'notes_list',
  'notes_mark_read',
  'notes_update',
]

interface Listed {
  readonly name: string
  readonly title: string
  readonly annotations: object
}

async function listTools(app: FastifyInstance, more?: More): Promise<readonly Listed[]> {
  return (await modern(app, 'tools/list', {}, more)).json().result.tools
}

const namesOf = async (app: FastifyInstance, more?: More) =>
  (await listTools(app, more)).map(({ name }) => name)

test('a caller sees what the token covers and the person may do', async t => {
  const { app } = await createNotes(t)
  t.same(await namesOf(app, { as: 'ana' }), everything)
  t.same(await namesOf(app, { as: 'vera' }), readers, 'a reader with a token for everything')
  t.same(await namesOf(app, { as: 'rob' }), readers, 'an editor with a token for reading')
  t.same(await namesOf(app, { as: 'zoe' }), [], 'neither')
  for (const as of ['ana', 'vera', 'rob']) {
    const old = (await legacy(app, 'tools/list', {}, { as })).json().result.tools
    t.same(
      old.map(({ name }: Listed) => name),
      await namesOf(app, { as }),
    )
  }
})

test('what is not listed is not run either', async t => {
  const { app, reached } = await createNotes(t)
  for (const as of ['vera', 'rob', 'zoe']) {
    const listed = await namesOf(app, { as })
    for (const name of everything) {
      const answer = await call(app, name, { note_id: 'a', title: 'b' }, { as })
      const isRefused = answer.statusCode === 403 || answer.json().result?.isError === true
      // A listed tool may refuse arguments; one that is not listed refuses the caller.
      if (!listed.includes(name)) t.ok(isRefused, `${as} ${name}`)
    }
  }
  t.notOk(reached.some(({ route }) => !readers.includes(route)))
})

test('without a permission model only scopes filter', async t => {
  const { app } = await createNotes(t, { mcp: { permissions: undefined } })
  t.same(await namesOf(app, { as: 'vera' }), everything)
  t.same(await namesOf(app, { as: 'rob' }), readers)
  const none = await createNotes(t, { mcp: { permissions: async () => null } })
  t.same(await namesOf(none.app, { as: 'vera' }), everything)
})

test('the permissions are asked for in the request that lists, and may depend on it', async t => {
  const { app } = await createNotes(t, {
    mcp: {
      permissions: async (_caller, request) =>
        new Set(request.headers['x-workspace-id'] === 'w1' ? ['notes:edit'] : ['notes:view']),
    },
  })
  t.same(await namesOf(app, { headers: { 'x-workspace-id': 'w2' } }), readers)
  t.same(
    await namesOf(app, { headers: { 'x-workspace-id': 'w1' } }),
    everything.filter(name => !readers.includes(name)),
  )
})

test('sets of rights never mix, even where their words would', async t => {
  const route = (app: FastifyInstance, name: string, scopes: string[], permission: string) =>
    app.get(
      `/${name}`,
      {
        schema: { operationId: name, summary: name, response: { 200: { type: 'object' } } },
        config: { scopes, permission, mcp: true },
      },
      async () => ({}),
    )
  const rights: Record<string, { scopes: string[]; permissions: string[] }> = {
    one: { scopes: ['a'], permissions: ['p q'] },
    two: { scopes: ['a'], permissions: ['p', 'q'] },
    three: { scopes: ['a|p'], permissions: ['q'] },
  }
  const { app } = await createPlain(t, {
    mcp: {
      authenticate: ({ headers }) => {
        const id = String(headers.authorization).slice('Bearer '.length)
        return { id, clientId: null, scopes: rights[id]?.scopes ?? [] }
      },
      permissions: ({ id }) => new Set(rights[id]?.permissions),
    },
    routes: app => {
      route(app, 'x_p', ['a'], 'p')
      route(app, 'x_pq', ['a'], 'p q')
      route(app, 'x_q', ['a|p'], 'q')
    },
  })
  for (let round = 0; round < 2; round++) {
    const own = async (as: string) => (await namesOf(app, { as })).filter(name => name.startsWith('x_'))
    t.same(await own('one'), ['x_pq'])
    t.same(await own('two'), ['x_p'])
    t.same(await own('three'), ['x_q'])
  }
})

test('more sets of rights than are kept are still listed rightly', async t => {
  const { app } = await createNotes(t, {
    mcp: {
      permissions: undefined,
      authenticate: ({ headers }) => {
        const id = String(headers.authorization)
        return { id, clientId: null, scopes: [id.endsWith('0') ? 'notes:read' : 'other', id] }
      },
    },
  })
  for (let index = 1; index <= 250; index++)
    t.equal((await namesOf(app, { as: `n${index}` })).length, index % 10 === 0 ? 2 : 0)
  t.equal((await namesOf(app, { as: 'n10' })).length, 2)
})

test('an embedding API that refuses the list keeps its meaning', async t => {
  const thrown: readonly (readonly [Error, number, number | undefined])[] = [
    [refuse(404), 200, -32602],
    [refuse(400), 200, -32602],
    [refuse(401), 401, undefined],
    [refuse(429, { 'retry-after': '9' }), 429, undefined],
    [refuse(503), 503, undefined],
    [refuse(500), 200, -32603],
    [new Error('secret'), 200, -32603],
  ]
  for (const [error, status, code] of thrown) {
    const { app } = await createNotes(t, { mcp: { permissions: () => Promise.reject(error) } })
    const answer = await modern(app, 'tools/list')
    t.equal(answer.statusCode, status)
    t.equal(answer.json().error?.code, code)
    t.notMatch(answer.body, 'secret')
    t.equal(answer.headers['mcp-protocol-version'], '2026-07-28')
    if (status === 429) t.equal(answer.headers['retry-after'], '9')
    if (status === 401) t.match(answer.headers['www-authenticate'], 'error="invalid_token"')
    if (code === -32602) t.match(answer.json().error.message, `refused with`)
    if (code === -32603) t.match(answer.json().error.message, answer.json().error.data.requestId)
  }
})

test('tools come by name in the order of their characters, page by page', async t => {
  const { app } = await createNotes(t, { mcp: { pageSize: 2 } })
  const seen: string[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < 10; pages++) {
    const { result } = (await modern(app, 'tools/list', cursor === undefined ? {} : { cursor })).json()
    t.ok(result.tools.length <= 2)
    seen.push(...result.tools.map(({ name }: Listed) => name))
    cursor = result.nextCursor
    if (cursor === undefined) break
  }
  t.same(seen, everything)
  t.same(seen, [...seen].sort())
})

test('a last page that is full says that it is the last', async t => {
  const { app } = await createNotes(t, { mcp: { pageSize: 6 } })
  t.notOk('nextCursor' in (await modern(app, 'tools/list')).json().result)
  const longer = await createNotes(t, { mcp: { pageSize: 5 } })
  t.ok('nextCursor' in (await modern(longer.app, 'tools/list')).json().result)
})

test('a page holds 200 tools unless told otherwise', async t => {
  const { app } = await createPlain(t, {
    routes: app => {
      for (let index = 0; index < 201; index++) {
        app.get(
          `/${index}`,
          {
            schema: { operationId: `z_${index}`, summary: 'z', response: { 200: { type: 'object' } } },
            config: { scopes: [], mcp: true },
          },
          async () => ({}),
        )
      }
    },
  })
  const first = (await modern(app, 'tools/list')).json().result
  t.equal(first.tools.length, 200)
  const second = (await modern(app, 'tools/list', { cursor: first.nextCursor })).json().result
  t.equal(second.tools.length, 3)
})

test('a cursor goes on where it stopped for whoever uses it, on any replica', async t => {
  const one = await createNotes(t, { mcp: { pageSize: 3 } })
  const other = await createNotes(t, { mcp: { pageSize: 3 } })
  const { nextCursor } = (await modern(one.app, 'tools/list')).json().result
  const { tools } = (await modern(other.app, 'tools/list', { cursor: nextCursor })).json().result
  t.same(
    tools.map(({ name }: Listed) => name),
    everything.slice(3),
  )
  // vera cannot see the tool it names; what follows it is hers.
  const hers = (await modern(one.app, 'tools/list', { cursor: nextCursor }, { as: 'vera' })).json().result
  t.same(
    hers.tools.map(({ name }: Listed) => name),
    ['notes_list'],
  )
  const end = (await modern(one.app, 'tools/list', { cursor: toCursor('notes_update') })).json().result
  t.same(end.tools, [])
})

test('a cursor that was not given out is -32602', async t => {
  const { app } = await createNotes(t, { mcp: { pageSize: 2 } })
  const { nextCursor } = (await modern(app, 'tools/list')).json().result
  const cursors = [
    '',
    'a',
    '2',
    'notes_get',
    `${nextCursor}=`,
    ` ${nextCursor}`,
    `${nextCursor}a`,
    nextCursor.slice(0, -1),
    nextCursor.toUpperCase(),
    toCursor('notes_nothing'),
    toCursor(''),
    toCursor('__proto__'),
    'a'.repeat(100_000),
    null,
    7,
    {},
    [nextCursor],
  ]
  for (const cursor of cursors) {
    for (const answer of [
      await modern(app, 'tools/list', { cursor }),
      await legacy(app, 'tools/list', { cursor }),
    ]) {
      t.equal(answer.statusCode, 200)
      t.equal(answer.json().error?.code, -32602, String(cursor).slice(0, 40))
    }
  }
})

test('every tool carries its four annotations', async t => {
  const route = (app: FastifyInstance, method: string, operationId: string, mcp: object) =>
    app.route({
      method,
      url: `/x/${operationId}`,
      schema: { operationId, summary: 'x', response: { 200: { type: 'object' } } },
      config: { scopes: [], mcp },
      handler: async () => ({}),
    })
  const { app } = await createPlain(t, {
    routes: app => {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) route(app, method, `x_${method}`, {})
      route(app, 'POST', 'y_test', { destructive: true, openWorld: true, title: 'Say it' })
      route(app, 'POST', 'y_search', { readOnly: true })
      route(app, 'DELETE', 'y_tidy', { destructive: false, idempotent: false })
      route(app, 'GET', 'y_touch', { readOnly: false, name: 'y_renamed' })
    },
  })
  const hints = (
    readOnlyHint: boolean,
    destructiveHint: boolean,
    idempotentHint: boolean,
    openWorldHint = false,
  ) => ({
    readOnlyHint,
    destructiveHint,
    idempotentHint,
    openWorldHint,
  })
  const tools = new Map((await listTools(app)).map(tool => [tool.name, tool]))
  const expected = {
    x_GET: hints(true, false, true),
    x_POST: hints(false, false, false),
    x_PUT: hints(false, false, true),
    x_PATCH: hints(false, false, false),
    x_DELETE: hints(false, true, true),
    y_test: hints(false, true, false, true),
    y_search: hints(true, false, true),
    y_tidy: hints(false, false, false),
    y_renamed: hints(false, false, false),
  }
  for (const [name, annotations] of Object.entries(expected))
    t.same(tools.get(name)?.annotations, annotations, name)
  t.equal(tools.get('y_test')?.title, 'Say it')
  t.equal(tools.get('x_GET')?.title, 'x', 'the summary, unless told otherwise')
})

test('a list says its length, whatever the id, and lists at the same time do not mix', async t => {
  const { app } = await createNotes(t)
  const ids = [0, 'long '.repeat(200), 'é', Number.MAX_SAFE_INTEGER]
  const answers = await Promise.all(
    ids.flatMap(id => [modern(app, 'tools/list', {}, { id }), legacy(app, 'tools/list', {}, { id })]),
  )
  t.same(
    answers.map(answer => answer.json().id),
    ids.flatMap(id => [id, id]),
  )
  for (const answer of answers) {
    t.equal(answer.headers['content-length'], String(answer.rawPayload.length))
    t.equal(answer.headers['transfer-encoding'], undefined)
    t.equal(answer.json().result.tools.length, everything.length)
  }
})

test('a large list is whole, also where a hook of the application makes something else of it', async t => {
  for (const isZipped of [false, true]) {
    const app = Fastify()
    t.teardown(() => app.close())
    app.addHook('onSend', async (_request, reply, payload: Readable) => {
      if (!isZipped) return payload
      reply.header('content-encoding', 'gzip')
      return payload.pipe(createGzip())
    })
    const caller = { id: 'usr_x', clientId: null, scopes: [] }
    await app.register(mcp, {
      serverInfo: { name: 'large', version: '1' },
      authenticate: () => caller,
      pageSize: 100,
    })
    for (let at = 0; at < 50; at++) {
      const response = { 200: { type: 'object', properties: { at: { type: 'integer' } }, required: ['at'] } }
      const schema = { operationId: `read_${at}`, summary: 'Read', description: 'é'.repeat(1_000), response }
      app.get(`/read/${at}`, { schema, config: { scopes: [], mcp: true } }, () => ({ at }))
    }
    const answers = await Promise.all(Array.from({ length: 5 }, () => modern(app, 'tools/list')))
    for (const { headers, rawPayload } of answers) {
      const bytes = isZipped ? gunzipSync(rawPayload) : rawPayload
      t.ok(bytes.length > 100_000)
      t.equal(JSON.parse(bytes.toString()).result.tools.length, 50)
      t.equal(headers['content-length'], isZipped ? undefined : String(bytes.length))
    }
  }
})
