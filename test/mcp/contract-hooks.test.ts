import { setTimeout as sleep } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import { type Test, test } from 'tap'
import { decorateRequests, giveUp } from '../../plugins/mcp/dispatch/identity.ts'
import { markAsTool } from '../../plugins/mcp/dispatch/mark-as-tool.ts'
import { begin, send, toComparable } from './send.ts'
import { call, legacy } from './toy-client.ts'
import { createNotes } from './toy-notes.ts'
import { testBothWays, ways } from './ways.ts'

/** An application that notes which hooks ran, in order; each way gets its own. */
async function createHooked(t: Test): Promise<{ app: FastifyInstance; ran: string[] }> {
  const ran: string[] = []
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  app.addHook('onRequest', (_request, _reply, done) => {
    ran.push('onRequest')
    setImmediate(done)
  })
  app.addHook('preParsing', async (_request, _reply, payload) => {
    ran.push('preParsing')
    return payload
  })
  app.addHook('preValidation', async () => void ran.push('preValidation'))
  app.addHook('preHandler', (_request, _reply, done) => {
    ran.push('preHandler')
    done()
  })
  app.addHook('preSerialization', async (_request, _reply, payload) => {
    ran.push('preSerialization')
    return { ...(payload as object), serialized: true }
  })
  app.addHook('onSend', (_request, _reply, payload, done) => {
    ran.push('onSend')
    setImmediate(done, null, `${payload} `)
  })
  app.addHook('onError', async (_request, _reply, error) => void ran.push(`onError ${error.message}`))
  app.addHook('onResponse', async (_request, reply) => {
    ran.push(`onResponse ${reply.statusCode} ${reply.elapsedTime > 0}`)
  })
  app.get('/plain', async () => ({ a: 1 }))
  app.post('/posted', async request => ({ body: request.body }))
  app.get('/fails', async () => {
    throw new Error('handler')
  })
  for (const hook of ['onRequest', 'preValidation', 'preHandler', 'preParsing'] as const) {
    const fail = async () => {
      throw Object.assign(new Error(hook), { statusCode: 418 })
    }
    app.get(`/fails/${hook}`, { [hook]: fail }, async () => ({}))
    app.get(
      `/answers/${hook}`,
      { [hook]: async (_request: unknown, reply: { send(body: string): unknown }) => reply.send(hook) },
      async () => ({}),
    )
  }
  app.get(
    '/fails/onSend',
    {
      onSend: async () => {
        throw new Error('onSend')
      },
    },
    async () => ({}),
  )
  app.get(
    '/fails/preSerialization',
    {
      preSerialization: async () => {
        throw new Error('preSerialization')
      },
    },
    async () => ({}),
  )
  app.get(
    '/replaced',
    {
      onSend: async (_request, reply) => {
        reply.code(202).header('x-replaced', '1')
        return Buffer.from('bytes')
      },
    },
    async () => ({}),
  )
  app.get(
    '/invalid',
    { schema: { querystring: { type: 'object', required: ['q'], properties: { q: { type: 'integer' } } } } },
    async () => ({}),
  )
  await app.ready()
  return { app, ran }
}

test('every hook runs, in the same order and with the same effect, in both ways', async t => {
  const injected = await createHooked(t)
  const direct = await createHooked(t)
  const requests = [
    { url: '/plain' },
    { url: '/posted', method: 'POST', payload: '{"é":1}', headers: { 'content-type': 'application/json' } },
    { url: '/fails' },
    { url: '/replaced' },
    { url: '/nowhere' },
    { url: '/invalid' },
    { url: '/invalid?q=x' },
    { url: '/invalid?q=1' },
    ...['onRequest', 'preValidation', 'preHandler', 'preParsing', 'onSend', 'preSerialization'].map(hook => ({
      url: `/fails/${hook}`,
    })),
    ...['onRequest', 'preValidation', 'preHandler', 'preParsing'].map(hook => ({ url: `/answers/${hook}` })),
  ]
  for (const sent of requests) {
    const wanted = toComparable(await send(injected.app, 'inject', sent))
    t.same(toComparable(await send(direct.app, 'direct', sent)), wanted, sent.url)
    await sleep(2)
    const order = injected.ran.splice(0)
    t.same(direct.ran.splice(0), order, `${sent.url}: ${order.join(', ')}`)
    t.match(order.at(-1), /^onResponse \d+ true$/)
  }
})

test('what breaks off a request runs onRequestAbort and aborts its signal, in both ways', async t => {
  for (const way of ways) {
    const events: string[] = []
    // A client that leaves is no failure of the server's.
    const write = (line: string) => void events.push(`log ${JSON.parse(line).msg}`)
    const app = Fastify({ logger: { level: 'warn', stream: { write } } })
    let key = Symbol('none')
    decorateRequests(app)
    app.addHook('onRoute', route => {
      key = markAsTool(route, false)
    })
    app.addHook('onRequestAbort', async request => void events.push(`onRequestAbort ${request.url}`))
    app.get('/slow', { exposeHeadRoute: false }, async (request, reply) => {
      request.signal.addEventListener('abort', () => events.push('signal'))
      request.raw.on('close', () => events.push('close'))
      reply.raw.on('error', () => events.push('error of the response'))
      await sleep(20)
      events.push('handled')
      return {}
    })
    await app.ready()
    const { dispatch, answer } = begin(app, way, { url: '/slow', key })
    answer.catch(() => events.push('no answer'))
    await sleep(5)
    giveUp(dispatch)
    await sleep(40)
    t.same(events.sort(), ['close', 'handled', 'no answer', 'onRequestAbort /slow', 'signal'], way)
    await app.close()
  }
})

test('a handler timeout of Fastify itself answers alike in both ways', async t => {
  const app = Fastify({ handlerTimeout: 15 })
  t.teardown(() => app.close())
  app.get('/late', async request => {
    await sleep(40)
    return { aborted: request.signal.aborted }
  })
  app.get('/begun', async (_request, reply) => {
    reply.raw.write('begun')
    await sleep(40)
  })
  app.get('/quick', async () => ({ a: 1 }))
  await app.ready()
  for (const url of ['/late', '/quick']) {
    const [injected, direct] = await Promise.all(ways.map(way => send(app, way, { url })))
    t.same(direct && toComparable(direct), injected && toComparable(injected), url)
  }
  for (const way of ways) await t.rejects(send(app, way, { url: '/begun' }), way)
})

testBothWays('onTimeout runs when the deadline of a call has passed', async t => {
  const timedOut: string[] = []
  const { app } = await createNotes(t, {
    mcp: { deadline: 20 },
    routes: app => {
      app.addHook('onTimeout', async request => void timedOut.push(request.url))
      const schema = { operationId: 'slow', summary: 'Slow', response: { 200: {} } }
      app.get(
        '/slow',
        { schema, serializerCompiler: () => JSON.stringify, config: { scopes: [], mcp: true } },
        async () => {
          await sleep(60)
          return {}
        },
      )
    },
  })
  t.equal((await call(app, 'slow')).statusCode, 503)
  t.same(timedOut, ['/slow'])
})

testBothWays('an answer with trailers is refused clearly', async t => {
  const { app } = await createNotes(t, {
    routes: app => {
      const schema = { operationId: 'trailing', summary: 'Trailers', response: { 200: {} } }
      app.get(
        '/trailing',
        { schema, serializerCompiler: () => JSON.stringify, config: { scopes: [], mcp: true } },
        async (_request, reply) => {
          reply.trailer('x-sum', async () => '7')
          return { a: 1 }
        },
      )
    },
  })
  for (const answer of [await call(app, 'trailing'), await legacy(app, 'tools/call', { name: 'trailing' })]) {
    t.equal(answer.statusCode, 200)
    t.equal(answer.json().error.code, -32603)
    t.match(answer.json().error.message, /trailers/)
  }
})
