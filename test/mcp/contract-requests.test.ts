import { PassThrough, Transform } from 'node:stream'
import Fastify, { type FastifyInstance, type FastifyRequest, type FastifyServerOptions } from 'fastify'
import { type Test, test } from 'tap'
import { type Sent, send, toComparable } from './send.ts'
import { ways } from './ways.ts'

const json = { 'content-type': 'application/json' }

/** Routes that read their body each in another way. */
async function createReaders(t: Test): Promise<FastifyInstance> {
  const app = Fastify({ bodyLimit: 1_000 })
  t.teardown(() => app.close())
  app.addContentTypeParser('application/x-stream', (_request, payload, done) => {
    let text = ''
    payload.setEncoding('utf8')
    payload.on('data', (piece: string) => {
      text += piece
    })
    payload.on('end', () => done(null, text.toUpperCase()))
  })
  app.addContentTypeParser(
    'application/x-iterated',
    async (_request: FastifyRequest, payload: AsyncIterable<Buffer>) => {
      const chunks: Buffer[] = []
      for await (const chunk of payload) chunks.push(chunk)
      return chunks.map(chunk => [chunk.length, Buffer.isBuffer(chunk)])
    },
  )
  app.addContentTypeParser('application/x-buffer', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body.length),
  )
  app.addContentTypeParser(/^application\/.*\+json/, { parseAs: 'string' }, (_request, body, done) =>
    done(null, `${body}`),
  )
  app.addContentTypeParser('application/x-refused', async () => {
    throw Object.assign(new Error('refused'), { statusCode: 422 })
  })
  app.post('/', async ({ body, headers }) => ({ body: body ?? null, headers }))
  app.post('/small', { bodyLimit: 10 }, async ({ body }) => ({ body }))
  app.post(
    '/wrapped',
    { preParsing: async (_request, _reply, payload) => payload.pipe(new PassThrough()) },
    async ({ body }) => ({ body }),
  )
  app.post(
    '/inflated',
    { preParsing: async (_request, _reply, payload) => payload.pipe(toInflating()) },
    async ({ body }) => ({ body }),
  )
  app.post('/replaced', { preParsing: async () => toReplaced() }, async ({ body }) => ({ body }))
  app.post(
    '/strict',
    { schema: { body: { type: 'object', required: ['a'], properties: { a: { type: 'integer' } } } } },
    async ({ body }) => ({ body }),
  )
  app.post(
    '/unread',
    { preParsing: async (_request, reply) => reply.code(202).send('not read') },
    async () => ({}),
  )
  app.delete('/', async ({ body }) => ({ body: body ?? null }))
  app.get('/', async request => {
    const chunks: unknown[] = []
    for await (const chunk of request.raw) chunks.push(chunk)
    return { chunks, ended: request.raw.readableEnded }
  })
  await app.ready()
  return app
}

/** Makes ten characters of each, as an archive that is larger than it looks. */
function toInflating(): Transform {
  return new Transform({
    transform(chunk, _encoding, callback) {
      this.push(`"${'x'.repeat(chunk.length * 10)}"`)
      callback()
    },
  })
}

function toReplaced() {
  const stream = new PassThrough()
  stream.end('{"replaced":true}')
  return Object.assign(stream, { receivedEncodedLength: 7 })
}

test('a body is read by the parser of its route, in both ways', async t => {
  const app = await createReaders(t)
  const text = '{"é":"日本","list":[1,2,3]}'
  const types = [
    'application/json',
    'application/json; charset=utf-8',
    'text/plain',
    'application/x-stream',
    'application/x-iterated',
    'application/x-buffer',
    'application/hal+json',
    'application/x-refused',
    'application/x-unknown',
    'nonsense',
    '',
  ]
  for (const type of types)
    await compare(
      t,
      app,
      { method: 'POST', url: '/', payload: text, headers: { 'content-type': type } },
      type,
    )
  await compare(t, app, { method: 'POST', url: '/', payload: text }, 'no type')
  await compare(t, app, { method: 'POST', url: '/' }, 'no body')
  await compare(t, app, { method: 'POST', url: '/', headers: json }, 'a type and no body')
  await compare(t, app, { method: 'DELETE', url: '/', payload: '{}', headers: json }, 'DELETE with a body')
  await compare(t, app, { url: '/' }, 'a GET that is read')
  for (const payload of [
    '{',
    '{"__proto__":{"a":1}}',
    '{"constructor":{"prototype":{}}}',
    '',
    '"\ud800"',
    '7',
  ])
    await compare(t, app, { method: 'POST', url: '/', payload, headers: json }, payload)
})

test('a body is bounded, wrapped and replaced alike in both ways', async t => {
  const app = await createReaders(t)
  const post = (url: string, payload: string) => ({ method: 'POST', url, payload, headers: json })
  const tooLarge = await compare(t, app, post('/', JSON.stringify('x'.repeat(1_000))), 'too large')
  t.equal(tooLarge, 413)
  t.equal(await compare(t, app, post('/small', '"12345678901"'), "larger than the route's own limit"), 413)
  t.equal(await compare(t, app, post('/small', '"é"'), 'in bytes'), 200)
  t.equal(await compare(t, app, post('/wrapped', '{"a":1}'), 'wrapped'), 200)
  t.equal(await compare(t, app, post('/inflated', 'xxx'), 'inflated'), 400)
  t.equal(await compare(t, app, post('/inflated', 'x'.repeat(200)), 'inflated beyond the limit'), 413)
  t.equal(await compare(t, app, post('/replaced', '{"a":1}'), 'replaced'), 200)
  t.equal(await compare(t, app, post('/strict', '{"b":1}'), 'not what the schema says'), 400)
  t.equal(await compare(t, app, post('/strict', '{"a":"1"}'), 'coerced'), 200)
  t.equal(await compare(t, app, post('/unread', '{"a":1}'), 'never read'), 202)
})

/** What a route can ask of the request. */
function describe(request: FastifyRequest) {
  const { raw } = request
  return {
    ...{ id: request.id, ip: request.ip, ips: request.ips, host: request.host, hostname: request.hostname },
    ...{ port: request.port, protocol: request.protocol, method: request.method, url: request.url },
    ...{
      originalUrl: request.originalUrl,
      is404: request.is404,
      headers: request.headers,
      query: request.query,
    },
    raw: {
      ...{ url: raw.url, method: raw.method, headers: raw.headers, rawHeaders: raw.rawHeaders },
      ...{ httpVersion: raw.httpVersion, major: raw.httpVersionMajor, minor: raw.httpVersionMinor },
      ...{ aborted: raw.aborted, destroyed: raw.destroyed, address: raw.socket.remoteAddress },
      ...{ remotePort: raw.socket.remotePort ?? null, encrypted: 'encrypted' in raw.socket },
    },
  }
}

test('what a route can ask of its request is alike in both ways', async t => {
  const servers: readonly FastifyServerOptions[] = [
    {},
    { trustProxy: true },
    { trustProxy: '192.0.2.0/24' },
    { rewriteUrl: ({ url }) => `${url}`.replace('/old', '/') },
    { routerOptions: { ignoreTrailingSlash: true, caseSensitive: false } },
    { requestIdHeader: 'x-request-id' },
  ]
  for (const server of servers) {
    const app = Fastify({ genReqId: () => 'req-1', ...server })
    t.teardown(() => app.close())
    app.get('/', async request => describe(request))
    app.get('/Things', async request => describe(request))
    app.get('/', { constraints: { host: 'other.test' } }, async () => 'another host')
    app.get('/', { constraints: { version: '2.0.0' } }, async () => 'another version')
    await app.ready()
    const headers = {
      'x-forwarded-for': '203.0.113.9, 10.0.0.1',
      'x-forwarded-host': 'a.test, b.test:81',
      'x-forwarded-proto': 'https',
      'x-request-id': 'req-9',
    }
    for (const sent of [
      { url: '/' },
      { url: '/?a=1&a=2&b=%C3%A9&c=%27', headers: { host: 'api.test:8080', 'user-agent': '' } },
      { url: '/', headers },
      { url: '/', headers: { host: 'other.test' } },
      { url: '/', headers: { 'accept-version': '2.x' } },
      { url: '/', headers: { 'accept-version': '9.x' } },
      { url: '/old?x=1' },
      { url: '/things/' },
    ])
      await compare(
        t,
        app,
        { ...sent, headers: { 'user-agent': 'desk', ...sent.headers } },
        `${JSON.stringify(server)} ${JSON.stringify(sent)}`,
      )
  }
})

async function compare(t: Test, app: FastifyInstance, sent: Sent, name: string): Promise<number> {
  const [injected, direct] = await Promise.all(ways.map(way => send(app, way, sent)))
  if (!injected || !direct) throw new Error('there are two ways')
  t.same(toComparable(direct), toComparable(injected), name)
  return injected.status
}
