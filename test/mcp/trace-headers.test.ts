import type { FastifyInstance } from 'fastify'
import { test } from 'tap'
import { z } from 'zod'
import { capabilitiesKey, post, toModernHeaders, versionKey } from './toy-client.ts'
import { createNotes } from './toy-notes.ts'

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const watched = ['traceparent', 'tracestate', 'baggage', 'authorization', 'x-forwarded-for', 'cookie']

test('what is no trace context never becomes a header', async t => {
  const seen = await listen(t)
  for (const meta of [
    { traceparent: 7 },
    { traceparent: 'x' },
    { traceparent: `${traceparent}-00` },
    { traceparent: traceparent.toUpperCase() },
    { traceparent: traceparent.replace('0af7651916cd43dd8448eb211c80319c', '0'.repeat(32)) },
    { traceparent: traceparent.replace('b7ad6b7169203331', '0'.repeat(16)) },
    { traceparent: traceparent.replace(/^00/, 'ff') },
    { traceparent: `${traceparent}\r\nauthorization: Bearer rob` },
    { tracestate: 'vendor=1' },
    { baggage: 'a=1\r\ncookie: b' },
    { baggage: 'a='.padEnd(9_000, 'x') },
    { authorization: 'Bearer rob', 'x-forwarded-for': '10.0.0.1', cookie: 'a=b' },
    { traceparent: { toString: () => traceparent } },
  ])
    t.same(await seen(meta), {}, JSON.stringify(meta).slice(0, 60))
})

test('the trace context of a client goes on in the route, in both eras', async t => {
  const seen = await listen(t)
  const meta = { traceparent, tracestate: 'vendor=1', baggage: 'tenant=7,plan=pro' }
  t.same(await seen(meta), meta)
  t.same(await seen({ ...meta, tracestate: 'x'.repeat(513) }), { traceparent, baggage: meta.baggage })
  t.same(await seen(meta, { isModern: false }), meta)
})

/** Calls a tool that answers with what it saw of the headers. */
async function listen(t: Parameters<typeof createNotes>[0]) {
  const { app } = await createNotes(t, { routes: addEcho })
  return async (meta: Readonly<Record<string, unknown>>, { isModern = true } = {}) => {
    const params = { name: 'echo_get', arguments: {} }
    const envelope = isModern ? { [versionKey]: '2026-07-28', [capabilitiesKey]: {} } : {}
    const answer = await post(
      app,
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta: { ...envelope, ...meta } } },
      isModern ? { headers: toModernHeaders('tools/call', params) } : {},
    )
    return answer.json().result.structuredContent
  }
}

function addEcho(api: FastifyInstance): void {
  api.get(
    '/echo',
    {
      schema: {
        operationId: 'echo_get',
        summary: 'Echo',
        response: { 200: z.record(z.string(), z.string()) },
      },
      config: { scopes: [], mcp: true },
    },
    async ({ headers }) =>
      Object.fromEntries(
        watched.flatMap(name => (headers[name] === undefined ? [] : [[name, headers[name]]])),
      ),
  )
}
