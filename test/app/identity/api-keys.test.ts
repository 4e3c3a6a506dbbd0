import type { FastifyInstance } from 'fastify'
import { test } from 'tap'
import { z } from 'zod'
import { createKnownApiKeys } from '../../../lib/api-keys/known-api-keys.ts'
import * as keys from '../../../lib/api-keys/repository.ts'
import { createId } from '../../../lib/id/id.ts'
import { audiences, startApp } from '../plumbing/start-app.ts'
import { toIds, toRecord, toRefusal } from '../resources/answers.ts'
import { type Answer, createPerson, type Person } from '../resources/person.ts'
import { alter } from '../support/alter.ts'
import { insertApiKey } from '../support/insert-api-key.ts'
import { moveClock } from './move-clock.ts'

const created = z.looseObject({ data: z.looseObject({ id: z.string(), key: z.string() }) })
const wanted = { name: 'Importer', scopes: ['emails:read', 'workspaces:write'], expires_in_days: 30 }

test('API keys', async t => {
  const started = await startApp(t, { env: { RATE_LIMIT_MAX: '100000' } })
  const { app, database, people } = started
  const { workspaceId } = people.billing
  const ana = createPerson(app, people.ana, { workspaceId })
  const bruno = createPerson(app, people.bruno)
  const bia = createPerson(app, people.bia)
  const leo = createPerson(app, people.leo)
  const inSupport = createPerson(app, people.ana, { workspaceId: people.support.workspaceId })

  await t.test('are refused with more than the token covers, or more than a year', async t => {
    const narrow = createPerson(app, people.bruno, { scopes: ['emails:read'] })
    const greedy = await narrow.post('/api-keys', { name: 'X', scopes: ['emails:read', 'emails:write'] })
    t.equal(toRefusal(greedy), '400 validation_failed scopes')
    for (const [body, path] of [
      [{ ...wanted, expires_in_days: 366 }, 'expires_in_days'],
      [{ ...wanted, expires_in_days: 0 }, 'expires_in_days'],
      [{ ...wanted, scopes: [] }, 'scopes'],
      [{ ...wanted, scopes: ['emails:raed'] }, 'scopes.0'],
      [{ ...wanted, name: '' }, 'name'],
      [{ ...wanted, user_id: people.ana }, 'user_id'],
    ] as const) {
      t.equal(toRefusal(await bruno.post('/api-keys', body)), `400 validation_failed ${path}`)
    }
    t.equal(
      toRefusal(await createPerson(app, people.ana).post('/api-keys', wanted)),
      '400 workspace_required',
    )
    t.same(toIds(await ana.get('/api-keys')).ids, [])
  })

  await t.test('are not given again to a token that covers less than the first', async t => {
    const headers = { 'idempotency-key': 'once' }
    const first = await bruno.post('/api-keys', { name: 'X', scopes: ['emails:write'] }, headers)
    t.equal(first.status, 201)
    const again = await bruno.post('/api-keys', { name: 'X', scopes: ['emails:write'] }, headers)
    t.match(again, { status: 201, headers: { 'idempotency-replayed': 'true' }, body: first.body })
    const narrow = createPerson(app, people.bruno, { scopes: ['emails:read'] })
    const refused = await narrow.post('/api-keys', { name: 'X', scopes: ['emails:write'] }, headers)
    t.equal(toRefusal(refused), '400 validation_failed scopes')
    const { id } = created.parse(first.body).data
    t.equal((await bruno.delete(`/api-keys/${id}`)).status, 204)
  })

  const answer = await ana.post('/api-keys', wanted)
  const { id, key } = created.parse(answer.body).data

  await t.test('are shown once, and stored as a hash', async t => {
    t.equal(answer.status, 201)
    t.equal(answer.headers.location, `/api/v1/api-keys/${id}`)
    t.match(key, /^kbn_[\w-]{43}[0-9a-f]{8}$/)
    const list = await ana.get('/api-keys')
    t.match(list.body, {
      data: [{ id, name: 'Importer', user_id: people.ana, hint: key.slice(0, 8), last_used_at: null }],
    })
    const stored = await database.asOwner(trx => trx.selectFrom('api_keys').selectAll().execute())
    t.notMatch(JSON.stringify([list.body, stored]), key.slice(8))
  })

  await t.test('act as the person, within their scopes, the role and the one workspace', async t => {
    const me = toRecord(await call(app, key, '/me'))
    t.match(me, { id: people.ana, client_id: id, default_workspace_id: workspaceId })
    t.match(me, { workspaces: [{ id: workspaceId }] })
    t.equal(z.array(z.unknown()).parse(me.workspaces).length, 1)
    t.equal((await call(app, key, '/emails')).status, 200)
    t.equal(toRefusal(await call(app, key, '/inboxes')), '403 insufficient_scope')
    for (const other of [people.support.workspaceId, people.main.workspaceId, createId('wsp')]) {
      t.equal(toRefusal(await call(app, key, '/emails', { workspaceId: other })), '404 workspace_not_found')
      t.equal(toRefusal(await call(app, key, `/workspaces/${other}`)), '404 not_found')
    }
    t.same(toIds(await call(app, key, '/workspaces')).ids, [workspaceId])
    const create = await call(app, key, '/workspaces', { method: 'POST', body: { name: 'Mine' } })
    t.equal(toRefusal(create), '403 forbidden')
  })

  await t.test('manage no keys, themselves included', async t => {
    for (const [method, path, body] of [
      ['GET', '/api-keys', undefined],
      ['POST', '/api-keys', { name: 'Next', scopes: ['emails:read'] }],
      ['DELETE', `/api-keys/${id}`, undefined],
    ] as const) {
      t.equal(toRefusal(await call(app, key, path, { method, body })), '403 forbidden')
    }
  })

  await t.test('are nothing to /mcp, which says so', async t => {
    const headers = { authorization: `Bearer ${key}` }
    const payload = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const refused = await app.inject({ method: 'POST', url: '/mcp', headers, payload })
    t.equal(refused.statusCode, 401)
    t.match(refused.json(), { code: 'unauthorized', detail: /API keys are for the REST API/ })
    t.match(refused.headers['www-authenticate'], 'oauth-protected-resource/mcp')
    t.equal(audiences.mcp, 'http://inbox.test/mcp')
  })

  await t.test('that are mistyped or made up are refused', async t => {
    for (const text of [alter(key, 10), 'kbn_', `${key}0`, key.slice(0, -1)]) {
      t.equal(toRefusal(await call(app, text, '/me')), '401 unauthorized')
    }
  })

  await t.test('show their last use', async t => {
    t.match(await ana.get('/api-keys'), { body: { data: [{ last_used_at: /^20/ }] } })
  })

  await t.test('are named as the client in the audit trail', async t => {
    await call(app, key, '/workspaces', { method: 'POST', body: { name: 'Mine' } })
    await app.auditSettled()
    const events = await database.asOwner(trx =>
      trx.selectFrom('audit_events').selectAll().where('client_id', '=', id).execute(),
    )
    t.match(events[0], { actor_id: people.ana, client_id: id, outcome: 'refused', via: 'rest' })
    const made = await database.asOwner(trx =>
      trx.selectFrom('audit_events').selectAll().where('action', '=', 'api_keys_create').execute(),
    )
    t.ok(made.some(event => event.resource_id === id && event.outcome === 'succeeded'))
    t.notMatch(JSON.stringify(made), key.slice(8))
  })

  await t.test('of others are seen and revoked by admins of the workspace, and by nobody else', async t => {
    const bias = created.parse((await bia.post('/api-keys', wanted)).body).data
    t.same(toIds(await bruno.get('/api-keys')).ids, [])
    t.same(toIds(await inSupport.get('/api-keys')).ids, [])
    t.same(toIds(await leo.get('/api-keys')).ids, [])
    const blind = createPerson(app, people.bia, { scopes: ['members:read'] })
    for (const person of [bruno, inSupport, leo, blind]) {
      t.equal(toRefusal(await person.delete(`/api-keys/${id}`)), '404 not_found')
    }
    for (const absent of [createId('key'), createId('eml'), 'x', `${id}%00`]) {
      t.equal(toRefusal(await ana.delete(`/api-keys/${absent}`)), '404 not_found')
    }
    t.same(toIds(await ana.get('/api-keys?limit=1')), { ids: [bias.id], next: await nextOf(ana) })
    t.equal((await ana.delete(`/api-keys/${bias.id}`)).status, 204)
    t.equal(toRefusal(await call(app, bias.key, '/me')), '401 unauthorized')
  })

  await t.test('end with their revocation, at once on this process', async t => {
    t.equal((await call(app, key, '/me')).status, 200)
    t.equal((await ana.delete(`/api-keys/${id}`)).status, 204)
    t.equal(toRefusal(await call(app, key, '/me')), '401 unauthorized')
    t.equal(toRefusal(await ana.delete(`/api-keys/${id}`)), '404 not_found')
    t.same(toIds(await ana.get('/api-keys')).ids, [])
  })

  await t.test('are at most 50 a person and workspace', async t => {
    await database.inTenant(people.billing, async trx => {
      for (let at = 0; at < keys.maximumApiKeys; at++) await insertApiKey(trx, people.billing, people.bruno)
    })
    t.equal(toRefusal(await bruno.post('/api-keys', wanted)), '409 conflict')
    t.equal((await bia.post('/api-keys', wanted)).status, 201)
  })

  await t.test('keep to their tenant in every query, without row-level security', async t => {
    const { id } = await database.inTenant(people.billing, trx =>
      insertApiKey(trx, people.billing, people.ana),
    )
    const holder = { userId: people.ana, scopes: [], seesAll: true, revokesAll: true }
    const mixed = { organizationId: people.globex.id, workspaceId }
    for (const stranger of [people.support, people.main, mixed]) {
      await t.rejects(
        database.asOwner(trx => keys.revokeApiKey(trx, stranger, { holder, id })),
        { code: 'not_found' },
      )
      const query = { limit: 100 }
      const page = await database.asOwner(trx => keys.listApiKeys(trx, stranger, { holder, query }))
      t.same(page.data, [])
    }
  })
})

test('an API key dies with its person, its membership and its time, and is not noted each time', async t => {
  const { app, database, people } = await startApp(t, { env: { RATE_LIMIT_MAX: '100000' } })
  const insert = (userId: string) =>
    database.inTenant(people.billing, trx => insertApiKey(trx, people.billing, userId))
  const [bias, brunos, anas] = [
    await insert(people.bia),
    await insert(people.bruno),
    await insert(people.ana),
  ]
  const advance = moveClock(t)
  const statuses = async () => {
    const answers = []
    for (const { text } of [bias, brunos, anas]) answers.push((await call(app, text, '/me')).status)
    return answers
  }
  t.same(await statuses(), [200, 200, 200])
  const usedAt = async () =>
    database.asOwner(trx => trx.selectFrom('api_keys').select(['id', 'last_used_at']).orderBy('id').execute())
  const first = await usedAt()

  await database.asOwner(async trx => {
    const disabled_at = new Date().toISOString()
    await trx.updateTable('users').set({ disabled_at }).where('id', '=', people.bia).execute()
    await trx.deleteFrom('memberships').where('user_id', '=', people.bruno).execute()
  })
  advance(20_000)
  t.same(await statuses(), [200, 200, 200], 'what is remembered')
  advance(11_000)
  t.same(await statuses(), [401, 401, 200], 'is so for half a minute')
  t.same(await usedAt(), first, 'the last use is noted once a minute')

  advance(3_600_000)
  const known = createKnownApiKeys(database)
  t.equal(await known.find(anas.text), null, 'a key that has expired')
})

interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly body?: object | undefined
  readonly workspaceId?: string
}

async function call(
  app: FastifyInstance,
  key: string,
  path: string,
  { method = 'GET', body, workspaceId }: CallOptions = {},
): Promise<Answer> {
  const response = await app.inject({
    method,
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${key}`, ...(workspaceId && { 'x-workspace-id': workspaceId }) },
    ...(body && { payload: body }),
  })
  return { status: response.statusCode, headers: response.headers, body: response.json() }
}

async function nextOf(person: Person): Promise<string | null> {
  return toIds(await person.get('/api-keys?limit=1')).next
}
