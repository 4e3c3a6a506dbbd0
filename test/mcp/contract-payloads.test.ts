import { Readable } from 'node:stream'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { type Test, test } from 'tap'
import { type Sent, send, toComparable } from './send.ts'
import { ways } from './ways.ts'

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown

const bytes = Uint8Array.from([0x7b, 0x7d, 0xc3, 0xa9])

async function* pieces() {
  yield '{"a":'
  await new Promise(setImmediate)
  yield Buffer.from('"é"}')
}

/** Handlers by name, each with another kind of payload or another way to send it. */
const handlers: Readonly<Record<string, Handler>> = {
  object: async () => ({ a: 1, é: 'ü' }),
  sync: () => ({ a: 1 }),
  text: async () => 'plain é',
  empty: async () => '',
  nothing: async (_request, reply) => reply.send(),
  null: async (_request, reply) => reply.send(null),
  number: async (_request, reply) => reply.send(7),
  buffer: async () => Buffer.from('é and more'),
  'typed array': async () => bytes,
  'part of a buffer': async () => bytes.subarray(0, 2),
  binary: async () => Buffer.from([0xff, 0xfe, 0x00, 0x80]),
  'half a character': async (_request, reply) => reply.type('application/json').send('"\ud800"'),
  large: async () => ({ text: 'x'.repeat(300_000) }),
  'sent and awaited': async (_request, reply) => {
    await reply.send({ a: 1 })
  },
  'sent later': (_request, reply) => {
    setTimeout(() => reply.send({ later: true }), 5)
  },
  'sent before the promise ends': async (_request, reply) => {
    reply.send({ a: 1 })
    await new Promise(setImmediate)
  },
  'sent twice': async (_request, reply) => {
    reply.send({ first: true })
    return reply.send({ second: true })
  },
  stream: async () => Readable.from(pieces()),
  'stream of bytes': async (_request, reply) =>
    reply.send(Readable.from([Buffer.from('a'), Buffer.from('b')])),
  'empty stream': async () => Readable.from([]),
  'slow stream': async () => new Readable({ read: once(stream => setTimeout(() => stream.push('slow'), 5)) }),
  'stream of the web': async () => new Response('{"a":"é"}').body,
  response: async () => new Response('{"a":1}', { status: 201, headers: { 'x-from': 'response' } }),
  'response without a body': async () => new Response(null, { status: 202 }),
  iterator: async (_request, reply) => reply.send(Readable.from(new Set(['1', '2', '3']))),
  '204 with a payload': async (_request, reply) => reply.code(204).send({ a: 1 }),
  '204 with a stream': async (_request, reply) => reply.code(204).send(Readable.from(['a'])),
  '304': async (_request, reply) => reply.code(304).send('not modified'),
  '201 with headers': async (_request, reply) =>
    reply
      .code(201)
      .headers({ location: '/x', 'X-Number': 7, 'x-list': ['a', 'b'] })
      .send({ a: 1 }),
  cookies: async (_request, reply) =>
    reply.header('set-cookie', 'a=1').header('set-cookie', ['b=2', 'c=3']).send({ a: 1 }),
  redirect: async (_request, reply) => reply.redirect('/object'),
  'own length': async (_request, reply) => reply.header('content-length', '3').send('abcdef'),
  'own serializer': async (_request, reply) => reply.serializer(value => `<${value}>`).send(['x']),
  'a header taken back': async (_request, reply) => {
    reply.header('x-gone', '1').header('x-kept', '1').removeHeader('x-gone')
    return { a: 1 }
  },
  'a header of the raw response': async (_request, reply) => {
    reply.raw.setHeader('X-Raw', 'raw')
    reply.raw.appendHeader('x-raw', 'more')
    return { has: reply.hasHeader('x-raw'), names: reply.raw.getHeaderNames(), raw: reply.getHeader('x-raw') }
  },
  'a header that cannot be sent': async (_request, reply) => reply.header('x-bad', 'a\nb').send({ a: 1 }),
  'a header without a value': async (_request, reply) => {
    reply.raw.setHeader('x-bad', undefined as never)
  },
  'a name that is none': async (_request, reply) => reply.header('not a name', 'x').send({ a: 1 }),
  'hijacked, written by hand': (_request, reply) => {
    reply.hijack()
    reply.raw.writeHead(207, 'Many', { 'content-type': 'text/plain', 'x-hand': 'made' })
    reply.raw.write('one ')
    reply.raw.write(Buffer.from('two '), () => reply.raw.end('three', 'utf8'))
  },
  'hijacked, with a list of headers': (_request, reply) => {
    reply.hijack()
    reply.raw.writeHead(200, ['x-list', 'made', 'content-type', 'text/plain'])
    reply.raw.end(Buffer.from('end'))
  },
  'hijacked, in another encoding': (_request, reply) => {
    reply.hijack()
    reply.raw.write('68c3a9', 'hex')
    reply.raw.end('w6k=', 'base64')
  },
  'hijacked, a stream piped into it': (_request, reply) => {
    reply.hijack()
    Readable.from(pieces()).pipe(reply.raw)
  },
  'ended by hand': async (_request, reply) => {
    reply.raw.end('by hand')
  },
  'hints before the answer': async (_request, reply) => {
    reply.writeEarlyHints({ link: '</style.css>' }, () => {})
    return { a: 1 }
  },
  thrown: async () => {
    throw new Error('thrown')
  },
  'thrown with a status': async () => {
    throw Object.assign(new Error('gone'), { statusCode: 410, headers: { 'x-error': '1' } })
  },
  'thrown at once': () => {
    throw new Error('at once')
  },
  'an error as payload': async (_request, reply) => reply.code(409).send(new Error('conflict')),
  'a stream that fails at first': async () =>
    new Readable({
      read() {
        this.destroy(new Error('no stream'))
      },
    }),
  'not found': async (_request, reply) => reply.callNotFound(),
  'no payload of any kind': async (_request, reply) => reply.type('text/plain').send({ a: 1 } as never),
}

test('every kind of payload is answered alike in both ways', async t => {
  const app = await createApp(t)
  const statuses = new Map<string, number>()
  for (const name of Object.keys(handlers))
    statuses.set(name, await compare(t, app, { url: toUrl(name) }, name))
  const lost = [...statuses].filter(([name, status]) => status === 404 && name !== 'not found')
  t.same(lost, [], 'and each by its own handler')
  t.ok(new Set(statuses.values()).size >= 9, [...new Set(statuses.values())].join(', '))
})

test('HEAD, unknown addresses and wrong verbs are answered alike', async t => {
  const app = await createApp(t)
  for (const name of ['object', 'text', 'stream', 'buffer', 'stream of the web', 'nothing'])
    await compare(t, app, { method: 'HEAD', url: toUrl(name) }, `HEAD ${name}`)
  await compare(t, app, { url: '/nowhere' }, '404')
  await compare(t, app, { method: 'DELETE', url: toUrl('object') }, 'a verb that is not there')
  await compare(t, app, { method: 'OPTIONS', url: toUrl('object') }, 'OPTIONS')
  await compare(t, app, { url: `/by-id/${'x'.repeat(300)}` }, 'a parameter that is too long')
  await compare(t, app, { url: '/by-id/%zz' }, 'what cannot be decoded')
  await compare(t, app, { url: "/by-id/a%2Fb%20c'(d)?x=%C3%A9&x=2" }, 'what is encoded')
})

test('a route that breaks off its own response leaves no answer, in both ways', async t => {
  const app = await createApp(t)
  for (const way of ways) {
    for (const url of ['/broken', '/broken-late', '/broken-request', '/broken-stream']) {
      await t.rejects(send(app, way, { url }), `${way} ${url}`)
    }
  }
})

test('who waits for the end of the response is told, in both ways', async t => {
  for (const way of ways) {
    const events: string[] = []
    const app = Fastify()
    app.get('/', async (_request, reply) => {
      for (const event of ['finish', 'close', 'error']) reply.raw.on(event, () => events.push(event))
      return { a: 1 }
    })
    await app.ready()
    await send(app, way, { url: '/' })
    await new Promise(setImmediate)
    t.same(events, ['finish', 'close'], way)
    await app.close()
  }
})

async function compare(t: Test, app: FastifyInstance, sent: Sent, name: string): Promise<number> {
  const [injected, direct] = await Promise.all(ways.map(way => send(app, way, sent)))
  if (!injected || !direct) throw new Error('there are two ways')
  t.same(toComparable(direct), toComparable(injected), name)
  return injected.status
}

async function createApp(t: Test): Promise<FastifyInstance> {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  for (const [name, handler] of Object.entries(handlers)) app.get(toUrl(name), handler)
  app.get('/by-id/:id', async ({ params, query, url }) => ({ params, query, url }))
  app.get('/broken', async (_request, reply) => {
    reply.raw.destroy()
    await new Promise(resolve => reply.raw.once('close', resolve))
  })
  app.get('/broken-late', async (_request, reply) => {
    reply.raw.write('begun')
    reply.raw.destroy(new Error('broken'))
  })
  app.get('/broken-request', async request => {
    request.raw.destroy(new Error('broken'))
    await new Promise(resolve => request.raw.once('close', resolve))
  })
  app.get('/broken-stream', async () => Readable.from(fail()))
  await app.ready()
  return app
}

async function* fail() {
  yield 'begun'
  throw new Error('broken')
}

function once(push: (stream: Readable) => void): (this: Readable) => void {
  let isFirst = true
  return function () {
    if (isFirst) {
      push(this)
      this.once('data', () => this.push(null))
    }
    isFirst = false
  }
}

function toUrl(name: string): string {
  return `/${name.replaceAll(/[ ,]+/g, '-')}`
}
