import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { test } from 'tap'
import { audiences, bearer, startApp } from '../plumbing/start-app.ts'
import { insertEmail, insertInbox } from '../support/insert-email.ts'
import { recordOf } from './audit-events.ts'

test('what a client has left is finished and recorded before the application has closed', async t => {
  const started = await startApp(t)
  const { app, database, people } = started
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo

  /** Sends all of a request, and leaves when it is under way. */
  const leave = async (
    { method, path }: { method: string; path: string },
    audience: string,
    payload: object,
  ) => {
    const request = httpRequest({
      port,
      host: '127.0.0.1',
      path,
      method,
      agent: false,
      headers: { ...bearer(people.bia, { audience }), 'content-type': 'application/json' },
    })
    request.on('error', () => {})
    request.end(JSON.stringify(payload))
    await delay(150)
    request.destroy()
  }

  const { billing } = people
  const id = await insertEmail(database, billing, { inboxId: await insertInbox(database, billing) })
  // Whoever asks is known from here on, so that nobody waits for the database before they have begun.
  await app.inject({ url: '/api/v1/me', headers: bearer(people.bia) })
  const events = await recordOf(started, async () => {
    let release = () => {}
    const released = new Promise<void>(resolve => {
      release = resolve
    })
    // On the embedded engine this holds the only connection; on PostgreSQL, the table.
    const holding = database.asOwner(async trx => {
      await sql`lock table emails in access exclusive mode`.execute(trx)
      await released
    })
    await delay(50)
    const params = { name: 'emails_list', arguments: {} }
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    await leave({ method: 'POST', path: '/mcp' }, audiences.mcp, call)
    await leave({ method: 'PATCH', path: `/api/v1/emails/${id}` }, audiences.api, { read: true })
    let hasClosed = false
    const closing = app.close().then(() => {
      hasClosed = true
    })
    await delay(200)
    t.equal(hasClosed, false, 'it waits')
    release()
    await holding
    await closing
  })
  t.same(events.map(({ action, outcome, via }) => [action, outcome, via]).sort(), [
    ['emails_list', 'succeeded', 'mcp'],
    ['emails_update', 'succeeded', 'rest'],
  ])
})

test('nothing is waited for that is answered, in whichever way', async t => {
  const { app, people } = await startApp(t, { env: { AUTH_ISSUER: '', NODE_ENV: 'test' } })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const base = `http://127.0.0.1:${port}`
  const headers = { ...bearer(people.bia), 'content-type': 'application/json' }
  for (const [path, init] of [
    ['/health', {}],
    ['/nothing', {}],
    ['/api/v1/%zz', {}],
    ['/api/v1/inboxes', {}],
    ['/api/v1/inboxes', { headers }],
    ['/api/v1/inboxes', { headers, method: 'HEAD' }],
    ['/api/v1/inboxes', { headers, method: 'POST', body: 'no JSON' }],
    ['/api/v1/inboxes', { headers, method: 'POST', body: '{"address":"some@inbox.test","name":"Some"}' }],
    ['/api/v1/inboxes', { headers: { origin: 'http://localhost:1' }, method: 'OPTIONS' }],
    ['/mcp', { headers, method: 'POST', body: '{}' }],
    ['/mcp', { headers, method: 'DELETE' }],
    ['/oauth/token', { method: 'POST' }],
  ] as const)
    await (await fetch(base + path, init)).text()
  // A body that never comes.
  const request = httpRequest({
    port,
    host: '127.0.0.1',
    path: '/api/v1/inboxes',
    method: 'POST',
    agent: false,
    headers: { ...headers, 'content-length': 100 },
  })
  request.on('error', () => {})
  request.write('{"address"')
  await delay(100)
  request.destroy()
  await delay(100)
  const answered = app.allAnswered().then(() => 'answered')
  t.equal(await Promise.race([answered, delay(100, 'waits', { ref: false })]), 'answered')
})
