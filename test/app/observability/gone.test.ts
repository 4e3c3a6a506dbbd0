import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { type Test, test } from 'tap'
import { z } from 'zod'
import { createLog } from '../../../lib/log/log.ts'
import { createMetrics } from '../../../lib/metrics/metrics.ts'
import { createTracing } from '../../../lib/tracing/tracing.ts'
import { eventually } from '../../lib/jobs/support/start-jobs.ts'
import { audiences, bearer, startApp } from '../plumbing/start-app.ts'
import { leave, talk, toPort, type WrittenRequest } from './leave.ts'
import { parseMetrics } from './parse-metrics.ts'
import { attributeOf, type CollectedSpan, startCollector } from './start-collector.ts'

const gone = 'kobana.request.gone'

test('a request whose client leaves ends once, as one that is gone', async t => {
  const { app, people, count, lines, spansOf } = await startWatched(t)
  const headers = bearer(people.ana)
  const slow: WrittenRequest = { method: 'GET', path: '/api/v1/slow', headers }
  const body = JSON.stringify({ text: 'x' })
  const write = { ...slow, method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body }

  await t.test('before it is answered, its body read or not', async t => {
    await leave(app, [slow], { after: 50 })
    await leave(app, [write], { after: 50 })
    await wait(400)
    t.same(await count('/api/v1/slow'), { 'GET gone': 1, 'POST gone': 1 })
    for (const method of ['GET', 'POST']) {
      const [span, ...others] = await spansOf(`${method} /api/v1/slow`)
      t.same(others, [])
      t.equal(span && attributeOf(span, gone), 'true')
      t.equal(span && attributeOf(span, 'http.response.status_code'), undefined)
      t.equal(span?.status?.code ?? 0, 0)
    }
    t.equal(lines('request given up').length, 2)
    t.equal(lines('request completed').length, 0)
  })

  await t.test('also behind another one of its connection', async t => {
    await leave(app, Array(20).fill(slow), { after: 50 })
    await wait(400)
    t.same(await count('/api/v1/slow'), { 'GET gone': 21, 'POST gone': 1 })
    t.equal(lines('request given up').length, 22)
  })

  await t.test('and one whose client stays as it was answered', async t => {
    const url = `http://127.0.0.1:${await toPort(app)}/api/v1/slow`
    t.equal((await fetch(url, { headers })).status, 200)
    t.equal((await fetch(url)).status, 401)
    t.same(await count('/api/v1/slow'), { 'GET 2xx': 1, 'GET 4xx': 1, 'GET gone': 21, 'POST gone': 1 })
    t.equal(lines('request completed').length, 2)
  })
})

test('an answer that breaks off on our side is a failure, and not of a client that has left', async t => {
  const { app, people, count, lines, spansOf } = await startWatched(t)
  const url = `http://127.0.0.1:${await toPort(app)}/api/v1/broken`
  const answer = await fetch(url, { headers: bearer(people.ana) })
  t.equal(answer.status, 200)
  await t.rejects(answer.text())
  const [span, ...others] = await spansOf('GET /api/v1/broken')
  t.same(others, [])
  t.equal(span && attributeOf(span, gone), undefined)
  t.equal(span && attributeOf(span, 'error.type'), 'broken')
  t.equal(span?.status?.code, 2)
  t.same(await count('/api/v1/broken'), { 'GET 5xx': 1 })
  t.equal(lines('request given up').length, 0)
  t.equal(lines('response terminated with an error with headers already sent').length, 1)

  const headers = bearer(people.ana)
  await leave(app, [{ method: 'GET', path: '/api/v1/endless', headers }], { after: 100 })
  await wait(200)
  t.same(await count('/api/v1/endless'), { 'GET gone': 1 }, 'a stream that its client leaves is no failure')
  t.equal(lines('request given up').length, 1)
})

for (const dispatch of ['direct', 'inject']) {
  test(`a tool's route that is given up is no success: ${dispatch}`, async t => {
    const { app, people, count, lines, spansOf } = await startWatched(t, dispatch)
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const params = { name: 'look_slowly', _meta: meta }
    const call: WrittenRequest = {
      method: 'POST',
      path: '/mcp',
      headers: {
        ...bearer(people.ana, { audience: audiences.mcp }),
        'content-type': 'application/json',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'look_slowly',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    }
    await leave(app, [call], { after: 50 })
    await wait(400)
    t.same(await count('/mcp'), { 'POST gone': 1 })
    t.same(await count('/api/v1/slow'), {})
    for (const name of ['POST /mcp', 'GET /api/v1/slow']) {
      const [span, ...others] = await spansOf(name)
      t.same(others, [], name)
      t.equal(span && attributeOf(span, gone), 'true', name)
      t.equal(span && attributeOf(span, 'http.response.status_code'), undefined, name)
    }
    t.equal(lines('request given up').length, 2)
    t.equal(lines('request completed').length, 0)
    t.match(lines('tool call').join(), '"outcome":"gone"')
  })
}

test('a body that breaks off is one request, which ends once, under the id of its answer', async t => {
  const { app, people, count, lines } = await startWatched(t)
  const [, authorization = ''] = Object.entries(bearer(people.ana))[0] ?? []
  const head = `POST /api/v1/slow HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n`
  const answer = await talk(
    app,
    `${head}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nno size\r\n`,
  )
  t.match(answer, /^HTTP\/1\.1 400 /)
  const [, id] = /"request_id":"(req_\w+)"/.exec(answer) ?? []
  await wait(50)
  t.same(await count('/api/v1/slow'), { 'POST gone': 1 })
  t.same(await count('none'), {})
  t.same(
    lines('request given up').map(line => JSON.parse(line).reqId),
    [id],
  )
  t.same(lines('request refused'), [])
})

/** An application with a slow route, its metrics by route, its spans by name, and the lines of its log by message. */
async function startWatched(t: Test, dispatch = 'direct') {
  const written: string[] = []
  const log = createLog('info', { write: line => void written.push(line) })
  const metrics = createMetrics()
  const collector = await startCollector(t)
  const tracing = createTracing({
    url: collector.url,
    serviceName: 'watched',
    serviceVersion: '1',
    onError: error => t.fail(`an export failed: ${error}`),
  })
  t.teardown(() => tracing.stop())
  const started = await startApp(t, {
    log,
    metrics,
    tracing,
    env: { MCP_DISPATCH: dispatch },
    routes: async routes => {
      const config = { scopes: [] as string[], tenancy: 'organization' as const }
      const schema = { summary: 'Look', response: { 200: z.object({}) } }
      const handler = () => wait(200).then(() => ({}))
      routes.get('/slow', {
        schema: { ...schema, operationId: 'look_slowly' },
        config: { ...config, mcp: true },
        handler,
      })
      const streamed = (chunks: () => AsyncIterable<string>) => async (_: unknown, reply: FastifyReply) =>
        reply.type('text/plain').send(Readable.from(chunks()))
      routes.get('/broken', {
        schema: { summary: 'Break', operationId: 'break', response: { 200: z.any() } },
        config,
        handler: streamed(async function* () {
          yield 'begun'
          await wait(50)
          throw new Error('the source is away')
        }),
      })
      routes.get('/endless', {
        schema: { summary: 'Go on', operationId: 'go_on', response: { 200: z.any() } },
        config,
        handler: streamed(async function* () {
          for (;;) {
            yield 'more'
            await wait(10)
          }
        }),
      })
      routes.post('/slow', { schema: { ...schema, operationId: 'write_slowly' }, config, handler })
    },
  })
  const count = async (route: string) => {
    const counts: Record<string, number> = {}
    const pattern = /_duration_seconds_count\{method="(\w+)",route="([^"]+)",status="(\w+)"\}/
    for (const [name, value] of parseMetrics(await metrics.registry.metrics())) {
      const [, method, path, status] = pattern.exec(name) ?? []
      if (path === route) counts[`${method} ${status}`] = value
    }
    return counts
  }
  const lines = (message: string) => written.filter(line => line.includes(`"msg":"${message}"`))
  const spansOf = (name: string): Promise<CollectedSpan[]> =>
    eventually(() => {
      const found = collector.spans.filter(span => span.name === name)
      return found.length > 0 ? found : undefined
    })
  return { ...started, count, lines, spansOf }
}
