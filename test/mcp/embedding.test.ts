import Fastify, { type FastifyInstance } from 'fastify'
import { test } from 'tap'
import { mcp } from '../../plugins/mcp/index.ts'
import { call, legacy, type More, modern, readText } from './toy-client.ts'
import { createNotes, toyOptions } from './toy-notes.ts'

/** A tool that answers its own name and who called it. */
function tool(app: FastifyInstance, name: string, url = `/${name}`): void {
  app.get(
    url,
    {
      schema: {
        operationId: name,
        summary: name,
        response: { 200: { type: 'object', additionalProperties: true } },
      },
      config: { scopes: [], mcp: true },
    },
    async request => ({ name, caller: request.mcp?.caller.id ?? null }),
  )
}

async function namesOf(app: FastifyInstance, more?: More): Promise<readonly string[]> {
  const { tools } = (await legacy(app, 'tools/list', {}, more)).json().result
  return tools.map(({ name }: { name: string }) => name)
}

const options = { ...toyOptions, permissions: undefined }

test('the endpoint may have another path', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(mcp, { ...options, path: '/agents/v1' })
  tool(app, 'one')
  t.same(await namesOf(app, { url: '/agents/v1' }), ['one'])
  t.equal((await legacy(app, 'ping', {}, { url: '/mcp' })).statusCode, 404)
  t.equal((await app.inject({ url: '/agents/v1' })).statusCode, 405)
})

test('registered below a prefix, the endpoint and its tools are there', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(
    async child => {
      await child.register(mcp, options)
      tool(child, 'inside', '/things')
      await child.register(async below => tool(below, 'below', '/:id'), { prefix: '/deep' })
    },
    { prefix: '/admin' },
  )
  tool(app, 'outside')
  await app.ready()
  const more = { url: '/admin/mcp' }
  t.same(await namesOf(app, more), ['below', 'inside'], 'and not what is outside')
  t.same(readText(await call(app, 'inside', {}, more)), { name: 'inside', caller: 'usr_ana' })
  t.same(readText(await call(app, 'below', { id: 'a/b' }, more)), { name: 'below', caller: 'usr_ana' })
  t.equal((await legacy(app, 'ping')).statusCode, 404, 'nothing at the root')
  t.equal((await app.inject({ url: '/admin/mcp' })).headers.allow, 'POST')
})

test('the prefix may be given to the plugin itself', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(async child => {
    await child.register(mcp, { ...options, prefix: '/v2', logLevel: 'warn' })
    tool(child, 'one')
  })
  // fastify-plugin breaks encapsulation, so that Fastify does not apply a prefix: the path is the option's.
  t.same(await namesOf(app), ['one'])
})

test('an endpoint sees the routes after it, in its context and below, and no others', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  tool(app, 'before')
  await app.register(mcp, options)
  tool(app, 'after')
  await app.register(async child => tool(child, 'child'))
  t.same(await namesOf(app), ['after', 'child'])
})

test('an endpoint that saw no route warns at ready, and says what to do', async t => {
  const late: Readonly<Record<string, (app: FastifyInstance) => unknown>> = {
    'without await': app => {
      app.register(mcp, options)
      tool(app, 'one')
    },
    'after the routes': async app => {
      tool(app, 'one')
      await app.register(mcp, options)
    },
    'in a context beside them': async app => {
      await app.register(async child => {
        await child.register(mcp, options)
      })
      tool(app, 'one')
    },
  }
  for (const [name, register] of Object.entries(late)) {
    const { app, warnings } = createLogged()
    t.teardown(() => app.close())
    await register(app)
    await app.ready()
    t.match(
      warnings,
      [{ path: '/mcp', msg: /no tools.*await app\.register\(mcp, …\)` before the routes/ }],
      name,
    )
    t.equal((await legacy(app, 'tools/list')).json().error.code, -32601)
  }
  const { app, warnings } = createLogged()
  t.teardown(() => app.close())
  await app.register(mcp, options)
  tool(app, 'one')
  await app.ready()
  t.same(warnings, [], 'and not where there is one')
})

function createLogged() {
  const warnings: unknown[] = []
  const stream = { write: (line: string) => void warnings.push(JSON.parse(line)) }
  return { app: Fastify({ logger: { level: 'warn', stream } }), warnings }
}

test('two endpoints in one application may expose the same routes', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(mcp, options)
  tool(app, 'first_only')
  await app.register(mcp, {
    ...options,
    path: '/other',
    serverInfo: { name: 'other', version: '9.9.9' },
    authenticate: () => ({ id: 'somebody', clientId: null, scopes: [] }),
  })
  tool(app, 'both')
  app.delete(
    '/both',
    {
      schema: { operationId: 'x_delete', summary: 'x', response: { 204: {} } },
      config: { scopes: [], mcp: true },
    },
    async () => {
      throw new Error('must not run')
    },
  )
  t.same(await namesOf(app), ['both', 'first_only', 'x_delete'])
  t.same(await namesOf(app, { url: '/other' }), ['both', 'x_delete'])
  t.same(readText(await call(app, 'both')), { name: 'both', caller: 'usr_ana' })
  t.same(readText(await call(app, 'both', {}, { url: '/other', as: null })), {
    name: 'both',
    caller: 'somebody',
  })
  for (const url of ['/mcp', '/other'])
    t.equal(readText(await call(app, 'x_delete', {}, { url })).code, 'confirmation_required')
  const discover = await modern(app, 'server/discover', {}, { url: '/other' })
  t.match(discover.json().result._meta, { 'io.modelcontextprotocol/serverInfo': { name: 'other' } })
})

test('two endpoints in contexts beside each other know nothing of each other', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  for (const side of ['left', 'right']) {
    await app.register(
      async child => {
        await child.register(mcp, options)
        tool(child, side, '/tool')
      },
      { prefix: `/${side}` },
    )
  }
  for (const side of ['left', 'right']) {
    t.same(await namesOf(app, { url: `/${side}/mcp` }), [side])
    t.equal(readText(await call(app, side, {}, { url: `/${side}/mcp` })).caller, 'usr_ana')
  }
  const wrong = await call(app, 'left', {}, { url: '/right/mcp' })
  t.equal(wrong.json().error.code, -32602)
})

test('several applications in one process, calling at once, do not mix', async t => {
  const toys = await Promise.all([1, 2, 3].map(() => createNotes(t)))
  await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const toy = toys[index % toys.length]
      if (toy) await call(toy.app, 'notes_get', { note_id: `${index}` })
    }),
  )
  for (const [which, { reached }] of toys.entries()) {
    t.equal(reached.length, 20)
    t.ok(reached.every(({ params }) => Number((params as { note_id: string }).note_id) % 3 === which))
  }
})

test("the endpoint's error handling, parser and headers are its own", async t => {
  const { app } = await createNotes(t, {
    before: app => {
      app.setErrorHandler((_error, _request, reply) => reply.code(418).send({ from: 'application' }))
      app.setNotFoundHandler((_request, reply) => reply.code(404).send({ from: 'application' }))
      app.addContentTypeParser('text/plain', { parseAs: 'string' }, (_request, body, done) =>
        done(null, body),
      )
    },
    routes: app => {
      app.post('/plain', async ({ body }) => ({ body }))
      app.get('/broken', async () => {
        throw new Error('x')
      })
    },
  })
  t.equal((await legacy(app, 'ping', {}, { as: null })).statusCode, 401)
  t.equal((await legacy(app, 'ping', {}, { headers: { 'content-type': 'text/plain' } })).statusCode, 415)
  t.equal((await app.inject({ url: '/broken' })).statusCode, 418)
  t.same((await app.inject({ url: '/nothing' })).json(), { from: 'application' })
  const plain = await app.inject({
    method: 'POST',
    url: '/plain',
    headers: { 'content-type': 'text/plain' },
    payload: 'a',
  })
  t.same(plain.json(), { body: 'a' })
  t.notOk(plain.headers['cache-control'])
})

test('a GET route with its HEAD twin is one tool, in whatever way the twin came about', async t => {
  for (const exposeHeadRoutes of [true, false]) {
    const app = Fastify({ exposeHeadRoutes })
    t.teardown(() => app.close())
    await app.register(mcp, options)
    tool(app, 'plain')
    app.route({
      method: ['GET', 'HEAD'],
      url: '/both',
      schema: { operationId: 'both', summary: 'Both', response: { 200: { type: 'object' } } },
      config: { scopes: [], mcp: true },
      handler: async () => ({}),
    })
    app.head(
      '/alone',
      { schema: { operationId: 'alone', summary: 'Alone' }, config: { scopes: [], mcp: true } },
      async () => '',
    )
    t.same(await namesOf(app), ['both', 'plain'])
    t.equal(readText(await call(app, 'plain')).caller, 'usr_ana')
    t.same(readText(await call(app, 'both')), {})
    const head = await app.inject({ method: 'HEAD', url: '/both' })
    t.equal(head.statusCode, 200)
  }
})

test('nothing is exposed unless it says so', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(mcp, options)
  const schema = { summary: 'x', response: { 200: { type: 'object' } } }
  app.get(
    '/silent',
    { schema: { ...schema, operationId: 'silent' }, config: { scopes: [] } },
    async () => ({}),
  )
  app.get(
    '/false',
    { schema: { ...schema, operationId: 'no' }, config: { scopes: [], mcp: false } },
    async () => ({}),
  )
  app.get('/bare', async () => ({}))
  t.equal((await legacy(app, 'tools/list')).json().error.code, -32601)
})

test('routes that share one configuration are still told apart', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(mcp, options)
  const config = { scopes: [], mcp: true }
  for (const name of ['one', 'two']) {
    app.get(
      `/${name}`,
      {
        schema: {
          operationId: name,
          summary: name,
          response: { 200: { type: 'object', additionalProperties: true } },
        },
        config,
      },
      async () => ({ name }),
    )
  }
  t.same(readText(await call(app, 'one')), { name: 'one' })
  t.same(readText(await call(app, 'two')), { name: 'two' })
  t.same(config, { scopes: [], mcp: true })
})
