import { Agent, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import Fastify, { type FastifyReply } from 'fastify'
import { type Test, test } from 'tap'
import { mcp } from '../../plugins/mcp/index.ts'
import { capabilitiesKey, toModernHeaders, versionKey } from './toy-client.ts'
import { toyOptions } from './toy-notes.ts'
import { type Way, ways } from './ways.ts'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

interface Watched {
  /** The reply of the tool's route in the first call: what it leads to is what may outlive that call. */
  readonly inner: FastifyReply[]
  /** The request and the response of the endpoint in the first call. */
  readonly outer: WeakRef<object>[]
  call(times: number): Promise<void>
}

/** A tool that is called over a connection, since what a test injects would be kept as well. */
async function createWatched(t: Test, dispatch: Way): Promise<Watched> {
  const inner: FastifyReply[] = []
  const outer: WeakRef<object>[] = []
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  app.addHook('onRequest', async (request, reply) => {
    if (request.method === 'POST' && outer.length === 0)
      outer.push(new WeakRef(request.raw), new WeakRef(reply.raw))
  })
  await app.register(mcp, { ...toyOptions, permissions: undefined, dispatch })
  const answer = { type: 'object', properties: { text: { type: 'string' } } }
  const schema = { operationId: 'told', summary: 'Told', response: { 200: answer } }
  app.get('/told', { schema, config: { scopes: [], mcp: true } }, async (_request, reply) => {
    if (inner.length === 0) inner.push(reply)
    return { text: 'a' }
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const params = { name: 'told', arguments: {} }
  const headers = {
    'content-type': 'application/json',
    authorization: 'Bearer ana',
    ...toModernHeaders('tools/call', params),
  }
  const _meta = { [versionKey]: '2026-07-28', [capabilitiesKey]: {} }
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta } }
  const agent = new Agent({ keepAlive: true })
  const options = { agent, port, host: '127.0.0.1', path: '/mcp', method: 'POST', headers }
  const callOnce = () =>
    new Promise<void>((resolve, reject) => {
      const sent = request(options, response => response.resume().on('end', resolve))
      sent.on('error', reject).end(JSON.stringify(body))
    })
  return {
    inner,
    outer,
    async call(times) {
      for (let count = 0; count < times; count++) await callOnce()
      // What follows an answer, in process.
      await sleep(20)
    },
  }
}

for (const way of ways) {
  test(`what is left of a dispatched request does not lead to the call that it was for (${way})`, async t => {
    const { inner, outer, call } = await createWatched(t, way)
    // The connection itself keeps the last one.
    await call(3)
    collect()
    t.equal(inner.length, 1)
    t.same(
      outer.map(reference => reference.deref() === undefined),
      [true, true],
    )
  })
}

test('light-my-request does not keep the bytes that it gathered', async t => {
  const { inner, call } = await createWatched(t, 'inject')
  await call(1)
  const gathered = inner.map(({ raw }) => Object(raw)._lightMyRequest.payloadChunks)
  t.same(
    gathered.map(chunks => [Array.isArray(chunks), chunks.length]),
    [[true, 0]],
  )
})
