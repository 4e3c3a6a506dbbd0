import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { z } from 'zod'
import { capabilitiesKey, modern, toModernHeaders, versionKey } from './toy-client.ts'
import { createNotes } from './toy-notes.ts'
import { testBothWays } from './ways.ts'

interface Watched {
  readonly app: FastifyInstance
  /** What happened to the tools: `reads started`, `reads aborted`, `reads finished`. */
  readonly events: string[]
  /** Resolves when the event has happened. */
  readonly until: (event: string) => Promise<void>
}

async function createWatched(t: Test): Promise<Watched> {
  const events: string[] = []
  const until = async (event: string) => {
    for (let round = 0; round < 400 && !events.includes(event); round++) await sleep(5)
    if (!events.includes(event)) throw new Error(`${event} never happened: ${events.join(', ')}`)
  }
  const watched = (app: FastifyInstance, method: string, name: string) =>
    app.route({
      method,
      url: `/${name}`,
      schema: { operationId: name, summary: name, response: { 200: z.object({}) } },
      config: { scopes: [], mcp: true },
      handler: async request => {
        events.push(`${name} started`)
        request.signal.addEventListener('abort', () => events.push(`${name} aborted`))
        await sleep(120)
        events.push(`${name} finished`)
        return {}
      },
    })
  const { app } = await createNotes(t, {
    routes: app => {
      watched(app, 'GET', 'reads')
      watched(app, 'POST', 'writes')
      app.addHook('preHandler', async request => {
        if (request.headers['x-wait'] && request.url === '/mcp') {
          events.push('waiting')
          await sleep(120)
        }
      })
      app.addHook('onSend', async request => {
        if (request.url === '/mcp') events.push('concluded')
      })
    },
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { app, events, until }
}

/** Calls a tool over a socket of its own, and returns what breaks it off. */
function open(
  { app }: Watched,
  name: string,
  { isModern, headers = {} }: { isModern: boolean; headers?: object },
): () => void {
  const { port } = app.server.address() as AddressInfo
  const envelope = { [versionKey]: '2026-07-28', [capabilitiesKey]: {} }
  const request = httpRequest({
    port,
    host: '127.0.0.1',
    path: '/mcp',
    method: 'POST',
    agent: false,
    headers: {
      authorization: 'Bearer ana',
      'content-type': 'application/json',
      ...(isModern && (toModernHeaders('tools/call', { name }) as object)),
      ...headers,
    },
  })
  request.on('error', () => {})
  const params = { name, ...(isModern && { _meta: envelope }) }
  request.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))
  return () => request.destroy()
}

testBothWays('in 2026-07-28 a client that leaves breaks off its read', async t => {
  const watched = await createWatched(t)
  const leave = open(watched, 'reads', { isModern: true })
  await watched.until('reads started')
  leave()
  await watched.until('reads aborted')
  await watched.until('concluded')
  t.equal((await modern(watched.app, 'tools/list')).statusCode, 200)
})

testBothWays('in 2025 a disconnect is no cancellation', async t => {
  const watched = await createWatched(t)
  const leave = open(watched, 'reads', { isModern: false })
  await watched.until('reads started')
  leave()
  await watched.until('reads finished')
  t.notOk(watched.events.includes('reads aborted'))
})

testBothWays('a write that has begun finishes, in both eras', async t => {
  for (const isModern of [true, false]) {
    const watched = await createWatched(t)
    const leave = open(watched, 'writes', { isModern })
    await watched.until('writes started')
    leave()
    await watched.until('writes finished')
    t.notOk(watched.events.includes('writes aborted'))
  }
})

testBothWays('what the client left before it began does not begin', async t => {
  for (const name of ['reads', 'writes']) {
    const watched = await createWatched(t)
    const leave = open(watched, name, { isModern: true, headers: { 'x-wait': '1' } })
    await watched.until('waiting')
    leave()
    await watched.until('concluded')
    await sleep(50)
    t.notOk(watched.events.includes(`${name} started`))
  }
})

testBothWays('a client that stays is answered', async t => {
  const watched = await createWatched(t)
  const url = `http://127.0.0.1:${(watched.app.server.address() as AddressInfo).port}/mcp`
  const answers = await Promise.all(
    ['reads', 'writes'].map(name =>
      fetch(url, {
        method: 'POST',
        headers: { authorization: 'Bearer ana', 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } }),
      }).then(answer => answer.json()),
    ),
  )
  for (const answer of answers) t.match(answer, { result: { content: [{ text: '{}' }] } })
  t.same(
    watched.events.filter(event => event.includes('aborted')),
    [],
  )
})

testBothWays('closing the application lets a running call end', async t => {
  const { app, events, until } = await createWatched(t)
  const call = modern(app, 'tools/call', { name: 'writes' })
  await until('writes started')
  await app.close()
  t.equal((await call).statusCode, 200)
  t.ok(events.includes('writes finished'))
})
