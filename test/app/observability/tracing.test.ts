import { SpanKind } from '@opentelemetry/api'
import { type Test, test } from 'tap'
import { parseConfig } from '../../../lib/config/config.ts'
import { createJobs } from '../../../lib/jobs/jobs.ts'
import { createLog } from '../../../lib/log/log.ts'
import { startTracing } from '../../../lib/tracing/start-tracing.ts'
import { createTraceJob } from '../../../lib/tracing/trace-job.ts'
import { createTracing } from '../../../lib/tracing/tracing.ts'
import { eventually, silent } from '../../lib/jobs/support/start-jobs.ts'
import { audiences, bearer, startApp } from '../plumbing/start-app.ts'
import { insertInbox } from '../support/insert-email.ts'
import { attributeOf, type CollectedSpan, startCollector } from './start-collector.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${traceId}-b7ad6b7169203331-01`
const [internal, server, consumer] = [1, 2, 5]

test('spans over OTLP', async t => {
  const { app, people, database, find, collector, tracing } = await startTraced(t)
  const headers = bearer(people.bia)

  await t.test('of a request: its route and its answer, nothing of its query', async t => {
    await app.inject({ url: '/api/v1/emails?q=secret-word', headers })
    const span = await find('GET /api/v1/emails')
    t.equal(span.kind, server)
    t.equal(span.parentSpanId ?? '', '')
    t.equal(attributeOf(span, 'http.response.status_code'), '200')
    t.equal(attributeOf(span, 'http.route'), '/api/v1/emails')
    t.notMatch(JSON.stringify(collector.spans), 'secret-word')
    t.same([...collector.services], ['traced'])
  })

  await t.test(
    'of a request in the trace that its headers name; what is no traceparent begins one',
    async t => {
      await app.inject({ url: '/api/v1/me', headers: { ...headers, traceparent } })
      const span = await find('GET /api/v1/me')
      t.same([span.traceId, span.parentSpanId], [traceId, 'b7ad6b7169203331'])
      await app.inject({ url: '/api/v1/rules', headers: { ...headers, traceparent: `00-${traceId}-zz-01` } })
      t.not((await find('GET /api/v1/rules')).traceId, traceId)
    },
  )

  await t.test('of a tool call: inside of its HTTP request, around its route', async t => {
    await callTool({ name: 'workspaces_list' })
    const http = await find('POST /mcp')
    const call = await find('tools/call workspaces_list')
    const route = await find('GET /api/v1/workspaces')
    t.same([call.traceId, call.parentSpanId], [http.traceId, http.spanId])
    t.same([route.traceId, route.parentSpanId], [call.traceId, call.spanId])
    t.same([call.kind, route.kind], [server, internal])
    t.equal(attributeOf(call, 'mcp.method.name'), 'tools/call')
    t.equal(attributeOf(call, 'gen_ai.tool.name'), 'workspaces_list')
    t.equal(attributeOf(call, 'mcp.protocol.version'), '2025-06-18')
    t.equal(attributeOf(call, 'error.type'), undefined)
  })

  await t.test(
    'of a tool call in the trace of _meta, down to its route, with a link to its HTTP request',
    async t => {
      await callTool({ name: 'inboxes_list', meta: { traceparent } })
      const call = await find('tools/call inboxes_list')
      t.same([call.traceId, call.parentSpanId], [traceId, 'b7ad6b7169203331'])
      const route = await find('GET /api/v1/inboxes')
      t.same([route.traceId, route.parentSpanId], [traceId, call.spanId])
      const [link] = call.links
      const http = collector.spans.find(({ spanId }) => spanId === link?.spanId)
      t.equal(http?.name, 'POST /mcp')
      t.not(http?.traceId, traceId)
    },
  )

  await t.test('of a tool that answers with an error, which is told by its code', async t => {
    await callTool({ name: 'emails_get', args: { id: 'eml_none' } })
    const call = await find('tools/call emails_get')
    t.equal(attributeOf(call, 'error.type'), 'tool_error')
    t.equal(attributeOf(call, 'kobana.problem.code'), 'not_found')
    t.notMatch(JSON.stringify(collector.spans.filter(({ name }) => name.startsWith('tools/'))), 'eml_none')
  })

  await t.test('of a job, with a link to the request that asked for it', async t => {
    const jobs = createJobs(database, { log: silent, traceJob: createTraceJob(tracing) })
    await jobs.start()
    t.teardown(() => jobs.stop())
    const inboxId = await insertInbox(database, people.billing)
    const answer = await app.inject({
      method: 'POST',
      url: `/api/v1/inboxes/${inboxId}/emails`,
      headers: { ...headers, 'content-type': 'message/rfc822' },
      payload: 'Subject: traced\r\n\r\nText\r\n',
    })
    t.equal(answer.statusCode, 202)
    await jobs.handle('email.process', async () => {})
    const job = await find('process email.process')
    const http = await find('POST /api/v1/inboxes/:id/emails')
    t.equal(job.kind, consumer)
    t.same(
      job.links.map(({ spanId }) => spanId),
      [http.spanId],
    )
    t.not(job.traceId, http.traceId)
  })

  await t.test('and none of probes', async t => {
    await app.inject('/health')
    await app.inject({ url: '/api/v1/stats', headers })
    await find('GET /api/v1/stats')
    t.notOk(collector.spans.some(({ name }) => name.includes('health')))
  })

  function callTool({ name, args = {}, meta }: { name: string; args?: object; meta?: object }) {
    return app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { ...bearer(people.bia, { audience: audiences.mcp }), 'mcp-protocol-version': '2025-06-18' },
      payload: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args, ...(meta && { _meta: meta }) },
      },
    })
  }
})

test('spans are of what OTEL_RESOURCE_ATTRIBUTES says, in the name of OTEL_SERVICE_NAME first', async t => {
  const before = process.env.OTEL_RESOURCE_ATTRIBUTES
  t.teardown(() => {
    if (before === undefined) delete process.env.OTEL_RESOURCE_ATTRIBUTES
    else process.env.OTEL_RESOURCE_ATTRIBUTES = before
  })
  for (const [said, variables, name] of [
    ['team=mail', {}, 'kobana-inbox-api'],
    ['team=mail,service.name=theirs', {}, 'theirs'],
    ['team=mail,service.name=theirs', { OTEL_SERVICE_NAME: 'ours' }, 'ours'],
  ] as const) {
    process.env.OTEL_RESOURCE_ATTRIBUTES = said
    const collector = await startCollector(t)
    const config = parseConfig({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.url, ...variables })
    const tracing = await startTracing(config, { role: 'api', log: createLog('silent') })
    tracing?.start('one', { kind: SpanKind.INTERNAL, attributes: {} }).end()
    await tracing?.stop()
    t.equal(attributeOf(collector.resource, 'service.name'), name)
    t.equal(attributeOf(collector.resource, 'team'), 'mail')
    t.match(attributeOf(collector.resource, 'service.version'), /^\d/)
    t.equal(collector.spans.length, 1)
  }
})

test('a collector that is away costs a line of the log and nothing else', async t => {
  const errors: unknown[] = []
  const tracing = createTracing({
    url: 'http://127.0.0.1:1/v1/traces',
    serviceName: 'traced',
    serviceVersion: '1',
    onError: error => void errors.push(error),
  })
  const { app, people } = await startApp(t, { tracing })
  t.equal((await app.inject({ url: '/api/v1/me', headers: bearer(people.bia) })).statusCode, 200)
  const startedAt = Date.now()
  await tracing.stop()
  t.ok(Date.now() - startedAt < 5_000)
})

async function startTraced(t: Test) {
  const collector = await startCollector(t)
  const tracing = createTracing({
    url: collector.url,
    serviceName: 'traced',
    serviceVersion: '1',
    onError: error => t.fail(`an export failed: ${error}`),
  })
  t.teardown(() => tracing.stop())
  const started = await startApp(t, { tracing })
  const find = (name: string): Promise<CollectedSpan> =>
    eventually(() => collector.spans.findLast(span => span.name === name))
  return { ...started, collector, tracing, find }
}
