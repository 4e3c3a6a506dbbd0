import { request as httpRequest } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyPluginAsync } from 'fastify'
import { sql } from 'kysely'
import { test } from 'tap'
import { createId } from '../../../lib/id/id.ts'
import { countKept, countNotes, createNotesRoutes, toPort } from './notes-routes.ts'
import { bearer, startApp } from './start-app.ts'

const config = { scopes: ['inboxes:write'], permission: 'inboxes:write' }

test('twins on two replicas', async t => {
  const runs = { count: 0 }
  const routes = createNotesRoutes(runs)
  const one = await startApp(t, { routes })
  const two = await startApp(t, { routes, beside: one })
  const headers = { ...bearer(one.people.bia), 'idempotency-key': 'twin' }

  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      (at % 2 ? one : two).app.inject({ method: 'POST', url: '/api/v1/slow-notes', headers, payload: {} }),
    ),
  )
  t.same(new Set(answers.map(answer => answer.statusCode)), new Set([200]))
  t.equal(new Set(answers.map(answer => answer.body)).size, 1)
  t.equal(runs.count, 1)
  t.equal(await countNotes(one.database), 1)
})

test('twins that wait do not keep others from the database', async t => {
  let release = () => {}
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  const waiting: FastifyPluginAsync = async app => {
    app.post('/wait', { config }, async request => {
      await request.transact(async () => {})
      await released
      return {}
    })
    app.get('/other', { config }, async request => request.transact(async () => ({ ok: true })))
  }
  const { app, database, people } = await startApp(t, { routes: waiting })
  // The embedded engine has one connection, which the first of the twins holds: there everybody waits for it.
  if (database.engine === 'pglite') return release()

  const headers = { ...bearer(people.bia), 'idempotency-key': 'wait' }
  const twins = Array.from({ length: 30 }, () =>
    app.inject({ method: 'POST', url: '/api/v1/wait', headers, payload: {} }),
  )
  await delay(200)
  const other = await app.inject({ url: '/api/v1/other', headers: bearer(people.bia) })
  t.equal(other.statusCode, 200)
  release()
  t.same(new Set((await Promise.all(twins)).map(answer => answer.statusCode)), new Set([200]))
})

test('a twin gives up waiting after a while, and is told to come back', async t => {
  const runs = { count: 0 }
  const { app, database, people } = await startApp(t, {
    routes: createNotesRoutes(runs),
    idempotency: { patience: 100 },
  })
  const headers = { ...bearer(people.bia), 'idempotency-key': 'patience' }
  const post = () => app.inject({ method: 'POST', url: '/api/v1/slow-notes', headers, payload: {} })

  const [first, second] = await Promise.all([post(), post()])
  t.same([first.statusCode, second.statusCode].sort(), [200, 503])
  const late = first.statusCode === 503 ? first : second
  t.match(late.json(), { code: 'unavailable' })
  t.match(late.headers['retry-after'], /^\d+$/)
  t.equal((await post()).headers['idempotency-replayed'], 'true')
  t.equal(await countNotes(database), 1)
})

test('a twin on another replica gives up waiting, too', async t => {
  const routes = createNotesRoutes({ count: 0 })
  const one = await startApp(t, { routes })
  const two = await startApp(t, { routes, beside: one, idempotency: { patience: 100 } })
  if (one.database.engine === 'pglite') return
  const headers = { ...bearer(one.people.bia), 'idempotency-key': 'patience' }
  const post = ({ app }: typeof one) =>
    app.inject({ method: 'POST', url: '/api/v1/slow-notes', headers, payload: {} })

  const first = post(one)
  first.then(() => {})
  await delay(100)
  const late = await post(two)
  t.equal(late.statusCode, 503)
  t.equal((await first).statusCode, 200)
})

test('a client that goes away does not undo what it asked for, and learns of it when it comes back', async t => {
  const runs = { count: 0 }
  const removal: FastifyPluginAsync = async app => {
    await createNotesRoutes(runs)(app, {})
    app.delete('/slow-notes', { config }, async (request, reply) => {
      await request.transact(trx => trx.deleteFrom('inboxes').execute())
      await delay(300)
      reply.code(204)
    })
  }
  const { app, database, people } = await startApp(t, { routes: removal })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const leave = async (method: string, key: string) => {
    const headers = { ...bearer(people.bia), 'idempotency-key': key }
    const leaving = httpRequest({
      port: toPort(app),
      host: '127.0.0.1',
      method,
      path: '/api/v1/slow-notes',
      headers,
    })
    leaving.on('error', () => {})
    leaving.end()
    await delay(150)
    leaving.destroy()
    await delay(600)
    const { statusCode, headers: answered } = await app.inject({
      method: method as 'POST',
      url: '/api/v1/slow-notes',
      headers,
    })
    return { statusCode, replayed: answered['idempotency-replayed'] }
  }

  t.same(await leave('POST', 'gone'), { statusCode: 200, replayed: 'true' })
  t.equal(await countNotes(database), 1)
  t.same(
    await leave('DELETE', 'gone-too'),
    { statusCode: 204, replayed: 'true' },
    'also where there is no body to send',
  )
  t.equal(await countNotes(database), 0)
  t.equal(await countKept(database), 2)
})

test('a handler that hangs loses its transaction, and what it does afterwards has no effect', async t => {
  const seen: unknown[] = []
  const hanging: FastifyPluginAsync = async app => {
    app.post('/hang', { config }, async request => {
      const { organizationId: organization_id, workspaceId: workspace_id } = request.tenant
      const add = () => {
        const id = createId('inb')
        const row = { id, organization_id, workspace_id, address: `${id}@notes.test`, name: 'note' }
        return request.transact(trx => trx.insertInto('inboxes').values(row).execute())
      }
      await add()
      await delay(600)
      await add().catch(error => seen.push(error))
      return {}
    })
  }
  const { app, database, people } = await startApp(t, { routes: hanging, idempotency: { openAtMost: 200 } })
  const headers = { ...bearer(people.bia), 'idempotency-key': 'hang' }
  const hung = app.inject({ method: 'POST', url: '/api/v1/hang', headers, payload: {} })
  hung.then(() => {})
  await delay(450)
  t.equal(await countNotes(database), 0, 'the connection is free again, and the note is gone')

  const answer = await hung
  t.equal(answer.statusCode, 503)
  t.match(answer.json(), { code: 'unavailable' })
  t.equal(seen.length, 1)
  t.same([await countNotes(database), await countKept(database)], [0, 0])
})

test('an answer whose commit fails is not given, not even a refusal', async t => {
  const failing: FastifyPluginAsync = async app => {
    // The connection ends between the handler's work and the commit, as when the server is restarted.
    app.post('/cut/:status', { config }, async (request, reply) => {
      await request.transact(async trx => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
        await app.database.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
      })
      await delay(100)
      const { status } = request.params as { status: string }
      return reply.code(Number(status)).header('etag', '"1"').header('location', '/x').send({ ok: true })
    })
  }
  const { app, database, people } = await startApp(t, { routes: failing })
  // The embedded engine has no server whose connections could end.
  if (database.engine === 'pglite') return

  for (const status of [200, 409]) {
    const headers = { ...bearer(people.bia), 'idempotency-key': `cut-${status}` }
    const answer = await app.inject({ method: 'POST', url: `/api/v1/cut/${status}`, headers, payload: {} })
    t.equal(answer.statusCode, 503)
    t.match(answer.headers['content-type'], 'application/problem+json')
    t.match(answer.json(), { code: 'unavailable', status: 503 })
    t.notOk(answer.headers.etag ?? answer.headers.location)
  }
  t.equal(await countKept(database), 0)
})
