import { type AddressInfo, connect } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import type { Test } from 'tap'
import { type McpOptions, mcp } from '../../plugins/mcp/index.ts'
import { attempt, codeOf } from './confirmation-client.ts'
import { call, legacy, modern, readText } from './toy-client.ts'
import { toyOptions } from './toy-notes.ts'
import { currentWay, testBothWays } from './ways.ts'

const response = { 200: { type: 'object', additionalProperties: true, properties: {} } }
const config = { scopes: [], mcp: true }
const key = 'a key of this test that is long enough'

function register(app: FastifyInstance, options: Partial<McpOptions> = {}) {
  return app.register(mcp, {
    ...toyOptions,
    permissions: undefined,
    dispatch: currentWay(),
    confirmation: { keys: [key] },
    ...options,
  })
}

function create(t: Test, options = {}): FastifyInstance {
  const app = Fastify(options)
  t.teardown(() => app.close())
  return app
}

testBothWays('a URL that leads into another context runs nothing there', async t => {
  for (const isLater of [true, false]) {
    const app = create(t)
    const ran: string[] = []
    const others = () =>
      app.register(async api => {
        api.delete('/notes/all', async request => ran.push(request.url))
        api.get('/notes/all', async request => ran.push(request.url))
      })
    if (!isLater) await others()
    await app.register(async api => {
      await register(api)
      const toSchema = (operationId: string) => ({ operationId, summary: 'Note', response })
      api.get('/notes/:id', { schema: toSchema('note_get'), config }, async () => ({}))
      api.delete('/notes/:id', { schema: toSchema('note_delete'), config }, async () => ({}))
    })
    if (isLater) await others()
    t.match(readText(await call(app, 'note_get', { id: 'all' })), { code: 'not_found' })
    t.match(readText(await call(app, 'note_delete', { id: 'all' })), { code: 'not_found' })
    t.equal(codeOf(await attempt(app, { name: 'note_delete', args: { id: 'all' } })), 'not_found')
    t.same(ran, [])
    t.equal((await app.inject({ method: 'DELETE', url: '/notes/all' })).statusCode, 200)
    t.same(ran, ['/notes/all'], 'over REST it is there')
  }
})

testBothWays('what a route of another context injects is nobody', async t => {
  const app = create(t)
  const callers: unknown[] = []
  app.post('/notes/batch', async () => {
    await app.inject({ method: 'POST', url: '/notes/victim' })
    return {}
  })
  await app.register(async api => {
    await register(api)
    const schema = { operationId: 'note_post', summary: 'Note', response }
    api.post('/notes/:id', { schema, config }, async request => {
      callers.push(request.mcp?.caller.id ?? null)
      return {}
    })
  })
  await call(app, 'note_post', { id: 'batch' })
  t.same(callers, [], 'it did not run')
  await app.inject({ method: 'POST', url: '/notes/batch' })
  t.same(callers, [null])
})

testBothWays('the application makes ids as if the plugin were not there', async t => {
  const app = create(t, {
    genReqId(this: FastifyInstance & { prefix: string }, raw: FastifyRequest['raw']) {
      return `${typeof this.listen}-${raw.url}`
    },
  })
  await register(app)
  app.get('/id', async request => ({ id: request.id }))
  t.same((await app.inject('/id')).json(), { id: 'function-/id' })
})

testBothWays('a context that makes ids of its own has the id of the call for a call', async t => {
  const app = create(t)
  await app.register(async api => {
    let count = 0
    api.setGenReqId(() => `api-${++count}`)
    await register(api)
    const schema = { operationId: 'id_get', summary: 'Id', response }
    api.get('/id', { schema, config }, async ({ id, mcp }) => ({ id, called: mcp?.requestId ?? null }))
  })
  t.same(readText(await call(app, 'id_get')), { id: 'api-1', called: 'api-1' })
  t.same((await app.inject('/id')).json(), { id: 'api-2', called: null })
})

testBothWays('in every context a request from outside has an identity of null', async t => {
  const app = create(t)
  const answer = async ({ mcp }: FastifyRequest) => ({ isNull: mcp === null })
  app.get('/root', answer)
  await app.register(async early => void early.get('/early', answer))
  for (const name of ['one', 'two']) {
    await app.register(
      async api => {
        await register(api)
        api.get(`/${name}`, answer)
      },
      { prefix: `/${name}` },
    )
  }
  app.setNotFoundHandler(answer)
  for (const url of ['/root', '/early', '/one/one', '/two/two', '/nowhere'])
    t.same((await app.inject(url)).json(), { isNull: true }, url)
})

testBothWays('what a hook before the plugin injects is nobody, wherever ids come from', async t => {
  const app = create(t, { requestIdHeader: 'x-request-id' })
  const seen: unknown[] = []
  app.addHook('onRequest', async ({ url }) => {
    if (url !== '/notes/1%7C?a=1') return
    seen.push((await app.inject('/session')).json(), (await app.inject('/notes/2')).json())
  })
  await register(app, { forwardHeaders: ['x-request-id'] })
  const schema = {
    operationId: 'note_get',
    summary: 'Note',
    params: { type: 'object', properties: { id: { type: 'string' } } },
    querystring: { type: 'object', properties: { a: { type: 'string' } } },
    response,
  }
  const toCaller = ({ mcp }: FastifyRequest) => ({ caller: mcp?.caller.id ?? null })
  app.get('/session', async request => toCaller(request))
  app.get('/notes/:id', { schema, config }, async request => toCaller(request))
  for (const headers of [{ 'x-request-id': 'abc' }, {}]) {
    const answer = await call(app, 'note_get', { id: '1|', a: '1' }, { headers })
    t.same(readText(answer), { caller: 'usr_ana' })
  }
  t.same(
    seen,
    Array.from({ length: 4 }, () => ({ caller: null })),
  )
})

testBothWays('a route whose pattern is encoded on its way, or rewritten, is reached', async t => {
  const app = create(t, {
    requestIdHeader: 'x-request-id',
    rewriteUrl: ({ url = '' }: { url?: string }) => (url === '/new/1' ? '/new/2' : url),
  })
  await register(app, { forwardHeaders: ['x-request-id'] })
  const toSchema = (operationId: string) => ({ operationId, summary: 'Note', response })
  app.get('/new/:id', { schema: toSchema('renewed'), config }, async ({ mcp }) => ({ tool: mcp?.tool }))
  app.get('/não', { schema: toSchema('accented'), config }, async ({ mcp }) => ({ tool: mcp?.tool }))
  for (const name of ['renewed', 'accented']) {
    const answer = await call(app, name, name === 'renewed' ? { id: '1' } : {}, {
      headers: { 'x-request-id': 'abc' },
    })
    t.same(readText(answer), { tool: name })
  }
})

testBothWays('a host that was not named is not made up', async t => {
  const app = create(t)
  await register(app)
  const schema = { operationId: 'host_get', summary: 'Host', response }
  app.get('/host', { schema, config }, async request => ({ host: request.host, name: request.hostname }))
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'host_get', arguments: {} } }
  const body = JSON.stringify(message)
  for (const [start, told] of [
    ['1.1\r\nhost: api.test:80', { host: 'api.test:80', name: 'api.test' }],
    ['1.0', { host: '', name: '' }],
    ['1.1\r\nhost:', { host: '', name: '' }],
  ] as const) {
    const socket = connect(port, '127.0.0.1')
    socket.end(
      `POST /mcp HTTP/${start}\r\nauthorization: Bearer ana\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    const answer = (await socket.toArray()).join('').split('\r\n\r\n')[1] ?? ''
    t.same(JSON.parse(JSON.parse(answer).result.content[0].text), told, start)
  }
})

testBothWays('an origin is allowed by true alone', async t => {
  for (const allowedOrigins of [async () => true, () => 'yes', async () => false]) {
    const app = create(t)
    await register(app, { allowedOrigins: allowedOrigins as unknown as () => boolean })
    const answer = await modern(app, 'tools/list', {}, { headers: { origin: 'https://evil.test' } })
    t.equal(answer.statusCode, 403)
  }
})

testBothWays('an option unreached that fails changes no answer', async t => {
  const fail = () => {
    throw new Error('not reached either')
  }
  for (const unreached of [fail, async () => fail()]) {
    const lines: string[] = []
    const app = create(t, {
      logger: { level: 'error', stream: { write: (line: string) => void lines.push(JSON.parse(line).msg) } },
    })
    await register(app, { unreached })
    const schema = { operationId: 'note_post', summary: 'Note', response }
    app.post('/notes', { schema, config: { ...config, scopes: ['rare'] } }, async () => ({}))
    app.delete('/notes', { schema: { ...schema, operationId: 'note_delete' }, config }, async () => ({}))
    t.equal((await legacy(app, 'tools/call', { name: 'note_post' })).statusCode, 403)
    t.same(lines.splice(0), ['unreached failed'])
    t.equal(codeOf(await attempt(app, { name: 'note_delete', args: {} })), 'asked')
    t.same(lines, ['unreached failed'])
  }
})
