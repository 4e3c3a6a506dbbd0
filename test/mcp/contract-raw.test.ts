import type { ServerResponse } from 'node:http'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { test } from 'tap'
import { send, toComparable } from './send.ts'
import { ways } from './ways.ts'

type Report = (request: FastifyRequest['raw'], response: ServerResponse, reply: FastifyReply) => unknown

/** The code of the error that something throws; null: none. */
function codeOf(attempt: () => unknown): unknown {
  try {
    attempt()
    return null
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : String(error)
  }
}

const once = (act: (done: (error?: Error | null) => void) => unknown): Promise<unknown> =>
  new Promise(resolve => {
    act(error => resolve(error && 'code' in error ? error.code : (error ?? null)))
  })

/** What is done with the raw response, and what is told of it. Each ends the response itself. */
const reports: Readonly<Record<string, Report>> = {
  headers: (_request, response) => {
    response.setHeaders(new Map([['X-One', '1']]))
    response.setHeader('X-List', ['a', 'b'])
    response.appendHeader('X-List', 'c')
    response.appendHeader('X-New', ['d'])
    response.setHeader('x-gone', 1)
    response.removeHeader('X-Gone')
    const names = response.getHeaderNames().filter(name => name.startsWith('x-'))
    const all = { ...response.getHeaders(), date: undefined }
    return { names, all, has: response.hasHeader('X-ONE'), list: response.getHeader('x-list') }
  },
  'refused headers': (_request, response) => ({
    name: codeOf(() => response.setHeader('not a name', '1')),
    value: codeOf(() => response.setHeader('x-a', 'é\u0100')),
    none: codeOf(() => response.setHeader('x-a', undefined as never)),
    status: codeOf(() => response.writeHead(7)),
  }),
  sent: (_request, response) => {
    response.flushHeaders()
    return {
      sent: response.headersSent,
      set: codeOf(() => response.setHeader('x-a', '1')),
      append: codeOf(() => response.appendHeader('x-a', '1')),
      remove: codeOf(() => response.removeHeader('x-a')),
      head: codeOf(() => response.writeHead(200)),
    }
  },
  chunks: async (_request, response) => ({
    written: await once(done => response.write('a', done)),
    encoded: await once(done => response.write('62', 'hex', done)),
    number: codeOf(() => response.write(7 as never)),
  }),
  'before the answer': async (_request, response) => {
    response.writeContinue()
    response.writeProcessing()
    response.cork()
    response.uncork()
    await new Promise<void>(resolve => response.writeEarlyHints({ link: '</a>' }, resolve))
    return { writable: response.writable, ended: response.writableEnded, finished: response.finished }
  },
  'after the end': async (_request, response) => {
    response.on('error', () => {})
    const ended = await once(done => response.end(done))
    return { ended, finished: response.writableEnded }
  },
  timeouts: async (request, response) => {
    await new Promise<void>(resolve => response.setTimeout(5, resolve))
    request.setTimeout?.(0)
    return { timed: true }
  },
}

test('what a route does with the raw response has the same effect in both ways', async t => {
  for (const [name, report] of Object.entries(reports)) {
    const told: unknown[] = []
    const app = Fastify()
    t.teardown(() => app.close())
    app.get('/', async (request, reply) => {
      reply.hijack()
      if (name === 'timeouts' && !('setTimeout' in request.raw))
        Object.assign(request.raw, { setTimeout() {} })
      told.push(await report(request.raw, reply.raw, reply))
      if (!reply.raw.writableEnded) reply.raw.end('end')
    })
    await app.ready()
    const answers = []
    for (const way of ways) answers.push(toComparable(await send(app, way, { url: '/' })))
    await new Promise(setImmediate)
    t.same(told[1], told[0], `${name}: ${JSON.stringify(told[1])}`)
    t.same(answers[1], answers[0], `${name}: the answer`)
  }
})

test('directly, what is written too late is refused, and what only a wire has is empty', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  // A socket's own timer keeps no process alive.
  const alive = setInterval(() => {}, 1_000)
  t.teardown(() => clearInterval(alive))
  const seen: unknown[] = []
  app.get('/', async ({ raw: request }, { raw: response }) => {
    const { trailers, trailersDistinct, rawTrailers, headersDistinct } = request
    seen.push({ trailers, trailersDistinct, rawTrailers, host: headersDistinct.host })
    seen.push(
      request.connection === request.socket &&
        response.connection === request.socket &&
        response.socket === request.socket,
    )
    seen.push(await new Promise(resolve => request.setTimeout(5, () => resolve('timeout'))))
    response.setHeader('X-Raw', '1')
    seen.push((response as unknown as { getRawHeaderNames(): string[] }).getRawHeaderNames())
    const header = response as unknown as { writeHeader(status: number, headers: object): void }
    header.writeHeader(201, { 'x-b': '2' })
    response.setTimeout(1_000)
    response.assignSocket(request.socket)
    response.detachSocket(request.socket)
    response.addTrailers({ 'x-sum': '1' })
    response.end('the end')
    seen.push(await once(done => response.end(done)), await once(done => response.write('more', done)))
  })
  app.get('/destroyed', async (_request, { raw: response }) => {
    response.on('error', () => {})
    const closed = new Promise(resolve => response.once('close', resolve))
    response.destroy(new Error('broken'))
    response.destroy()
    seen.push(await once(done => response.write('more', done)), response.destroyed)
    await closed
    seen.push(response.closed, response.errored?.message)
  })
  await app.ready()
  const { status, headers, body } = await send(app, 'direct', { url: '/' })
  t.match([status, headers['x-raw'], headers['x-b'], body], [201, '1', '2', 'the end'])
  await new Promise(setImmediate)
  t.same(seen.splice(0), [
    { trailers: {}, trailersDistinct: {}, rawTrailers: [], host: ['api.test'] },
    true,
    'timeout',
    ['X-Raw'],
    'ERR_STREAM_ALREADY_FINISHED',
    'ERR_STREAM_WRITE_AFTER_END',
  ])
  await t.rejects(send(app, 'direct', { url: '/destroyed' }), { message: 'broken' })
  t.same(seen, ['ERR_STREAM_DESTROYED', true, true, 'broken'])
})

test('a listener that throws when an answer is finished does not take it away', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.get('/told', async (_request, reply) => {
    reply.raw.on('finish', () => {
      throw new Error('a listener of the application')
    })
    return { told: true }
  })
  await app.ready()
  // Directly alone: injected, the error is nobody's and ends the process, as it does for a client's request.
  t.match(await send(app, 'direct', { url: '/told' }), { status: 200, body: '{"told":true}' })
})
