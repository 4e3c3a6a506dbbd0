import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { type Test, test } from 'tap'
import { z } from 'zod'
import { createLog } from '../../../lib/log/log.ts'
import { audiences, bearer, type StartOptions, startApp } from '../plumbing/start-app.ts'
import { leave, toPort, type WrittenRequest } from './leave.ts'

const json = { 'content-type': 'application/json' }

test('a client that resets its connection right after its request is no error', async t => {
  const { app, people, complaints } = await startHeard(t)
  const mcp = { ...json, ...bearer(people.ana, { audience: audiences.mcp }) }
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'workspaces_list' } }
  const requests: readonly WrittenRequest[] = [
    { method: 'GET', path: '/api/v1/me' },
    { method: 'GET', path: '/api/v1/me', headers: bearer(people.ana) },
    { method: 'GET', path: '/people/link?token=x' },
    { method: 'POST', path: '/mcp', headers: json, body: JSON.stringify(call) },
    { method: 'POST', path: '/mcp', headers: mcp, body: JSON.stringify(call) },
  ]
  for (let round = 0; round < 5; round++) for (const request of requests) await leave(app, [request])
  await wait(300)
  t.same(complaints(), [])
})

test('a client that leaves amid the body of its request is no error, over REST and over MCP', async t => {
  const { app, people, complaints } = await startHeard(t)
  const body = JSON.stringify({ title: 'x'.repeat(500) })
  for (const [path, audience] of [
    ['/mcp', audiences.mcp],
    ['/api/v1/inboxes', audiences.api],
  ] as const) {
    const headers = { ...json, ...bearer(people.ana, { audience }) }
    await leave(app, [{ method: 'POST', path, headers, body }], { after: 100, share: 0.9 })
  }
  await wait(300)
  t.same(complaints(), [])
})

test('connections that have no address any more share one budget', async t => {
  for (const trustProxy of [false, ['10.0.0.0/8']]) {
    const { app, people, complaints } = await startHeard(t, {
      env: { RATE_LIMIT_MAX: '50' },
      config: { trustProxy },
    })
    // As it is once a connection has been reset; this one can be answered.
    app.server.on('connection', socket =>
      Object.defineProperty(socket, 'remoteAddress', { value: undefined }),
    )
    const statuses: number[] = []
    for (let round = 0; round < 11; round++) statuses.push(await status(app, '/api/v1/me'))
    t.same(statuses, [...Array(10).fill(401), 429])
    t.equal(await status(app, '/people/link?token=x'), 429)
    t.equal((await app.inject({ url: '/api/v1/me', headers: bearer(people.ana) })).statusCode, 200)
    t.same(complaints(), [])
  }
})

test('the authorization server answers over connections that have no address any more', async t => {
  const { app, complaints } = await startHeard(t, {
    config: { authServer: true, authIssuer: 'http://inbox.test/oauth' },
  })
  app.server.on('connection', socket => Object.defineProperty(socket, 'remoteAddress', { value: undefined }))
  const url = `http://127.0.0.1:${await toPort(app)}/oauth`
  t.equal((await fetch(`${url}/auth?client_id=x`)).status, 400)
  t.equal((await fetch(`${url}/register`, { method: 'POST', headers: json, body: '{}' })).status, 400)
  t.equal((await fetch(`${url}/token`, { method: 'POST', body: new URLSearchParams() })).status, 400)
  t.same(complaints(), [])
})

test('a tool call over a connection that has no address any more has not that of this machine', async t => {
  for (const dispatch of ['direct', 'inject'] as const) {
    const seen: unknown[] = []
    const { app, people } = await startHeard(t, {
      env: { MCP_DISPATCH: dispatch },
      routes: async app => {
        app.get('/look', {
          schema: { operationId: 'look', summary: 'Look', response: { 200: z.object({}) } },
          config: { scopes: [], tenancy: 'organization', mcp: true },
          handler: async request => {
            seen.push(request.ip)
            return {}
          },
        })
      },
    })
    app.server.on('connection', socket =>
      Object.defineProperty(socket, 'remoteAddress', { value: undefined }),
    )
    const answer = await fetch(`http://127.0.0.1:${await toPort(app)}/mcp`, {
      method: 'POST',
      headers: { ...json, ...bearer(people.ana, { audience: audiences.mcp }) },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'look' } }),
    })
    t.equal(answer.status, 200)
    t.equal(seen[0], '0.0.0.0', dispatch)
  }
})

async function status(app: FastifyInstance, path: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${await toPort(app)}${path}`)
  await answer.text()
  return answer.status
}

/** The application, and what its log has of warnings and worse. */
async function startHeard(t: Test, options: StartOptions = {}) {
  const lines: string[] = []
  const log = createLog('warn', { write: line => void lines.push(line) })
  const started = await startApp(t, { ...options, log })
  return { ...started, complaints: () => [...lines] }
}
