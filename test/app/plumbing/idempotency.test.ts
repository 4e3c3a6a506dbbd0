import { test } from 'tap'
import { removeExpiredAnswers } from '../../../lib/http/kept-answers.ts'
import { countKept, countNotes, createNotesRoutes } from './notes-routes.ts'
import { audiences, bearer, startApp } from './start-app.ts'

test('a request with an Idempotency-Key', async t => {
  const runs = { count: 0 }
  const { app, database, people } = await startApp(t, {
    routes: createNotesRoutes(runs),
    env: { RATE_LIMIT_MAX: '100000' },
  })
  const token = bearer(people.bia)
  const send = (
    url: string,
    key: string,
    payload: object = { title: 'a' },
    headers: Record<string, string> = token,
  ) =>
    app.inject({
      method: 'POST',
      url: `/api/v1${url}`,
      headers: { ...headers, 'idempotency-key': key },
      payload,
    })
  /** What a piece of work adds: runs of the handler, notes, kept answers. */
  const adds = async (work: () => Promise<unknown>) => {
    const before = [runs.count, await countNotes(database), await countKept(database)]
    await work()
    const after = [runs.count, await countNotes(database), await countKept(database)]
    return after.map((value, at) => value - (before[at] ?? 0))
  }

  t.test('runs once, and its repetition gets the same answer', async t => {
    const added = await adds(async () => {
      const first = await send('/notes', 'k1')
      t.equal(first.statusCode, 201)
      t.notOk(first.headers['idempotency-replayed'])
      const second = await send('/notes', 'k1')
      t.equal(second.statusCode, 201)
      t.equal(second.body, first.body)
      for (const name of ['content-type', 'location', 'etag'])
        t.equal(second.headers[name], first.headers[name])
      t.equal(second.headers['idempotency-replayed'], 'true')
      t.match(second.headers, { 'cache-control': 'no-store', 'x-ratelimit-limit': '100000' })
    })
    t.same(added, [1, 1, 1])
  })

  t.test('runs once although twenty arrive at the same time', async t => {
    const added = await adds(async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => send('/slow-notes', 'race')))
      t.same(new Set(answers.map(answer => answer.statusCode)), new Set([200]))
      t.equal(new Set(answers.map(answer => answer.body)).size, 1)
      t.equal(answers.filter(answer => answer.headers['idempotency-replayed'] === 'true').length, 19)
    })
    t.same(added, [1, 1, 1])
  })

  t.test('is the same request whatever the order of its members and parameters', async t => {
    const added = await adds(async () => {
      await send('/notes?a=1&b=2', 'order', { title: 'a', labels: ['x', 'y'] })
      const again = await send('/notes?b=2&a=1', 'order', { labels: ['x', 'y'], title: 'a' })
      t.equal(again.statusCode, 201)
    })
    t.same(added, [1, 1, 1])
  })

  t.test('is refused when its key belongs to a request with another method, path, query or body', async t => {
    await send('/notes?a=1', 'k2', { title: 'a' })
    const added = await adds(async () => {
      const others = [
        await send('/notes?a=1', 'k2', { title: 'b' }),
        await send('/notes?a=1', 'k2', { title: 'a', labels: [] }),
        await send('/notes?a=2', 'k2', { title: 'a' }),
        await send('/notes', 'k2', { title: 'a' }),
        await send('/slow-notes?a=1', 'k2', { title: 'a' }),
        await app.inject({
          method: 'PUT',
          url: '/api/v1/notes?a=1',
          headers: { ...token, 'idempotency-key': 'k2' },
          payload: { title: 'a' },
        }),
      ]
      for (const answer of others) {
        t.equal(answer.statusCode, 422)
        t.match(answer.json(), { code: 'idempotency_key_reused' })
      }
    })
    t.same(added, [0, 0, 0])
  })

  t.test('shares its key with no other person, client or workspace', async t => {
    const added = await adds(async () => {
      await send('/notes', 'k3')
      await send('/notes', 'k3', { title: 'other' }, bearer(people.bia, { clientId: 'other-client' }))
      const inBilling = { ...bearer(people.ana), 'x-workspace-id': people.billing.workspaceId }
      const inSupport = { ...bearer(people.ana), 'x-workspace-id': people.support.workspaceId }
      for (const headers of [inBilling, inSupport, bearer(people.leo)]) {
        t.equal((await send('/notes', 'k3', { title: 'other' }, headers)).statusCode, 201)
      }
    })
    t.same(added, [5, 5, 5])
  })

  t.test('that is refused leaves its answer and nothing else', async t => {
    const added = await adds(async () => {
      const first = await send('/refused-notes', 'k4')
      t.equal(first.statusCode, 409)
      const second = await send('/refused-notes', 'k4')
      t.equal(second.statusCode, 409)
      t.equal(second.body, first.body)
      t.equal(second.headers['content-type'], 'application/problem+json; charset=utf-8')
    })
    t.same(added, [1, 0, 1])
  })

  t.test('that fails on our side leaves nothing, and its repetition runs', async t => {
    const added = await adds(async () => {
      runs.count = 0
      t.equal((await send('/broken-notes', 'k5')).statusCode, 500)
      t.equal((await send('/broken-notes', 'k5')).statusCode, 201)
      runs.count = 2
      t.equal((await send('/wrongly-printed-notes', 'k6')).statusCode, 500)
      t.equal((await send('/limited-notes', 'k7')).statusCode, 429)
    })
    t.same(added.slice(1), [1, 1])
  })

  t.test('goes on after a piece of work that failed and was caught, as it would without a key', async t => {
    const added = await adds(async () => {
      t.match((await send('/forgiving-notes', 'k14')).json(), { failed: null })
      t.equal((await send('/forgiving-notes', 'k14')).headers['idempotency-replayed'], 'true')
      await app.inject({ method: 'POST', url: '/api/v1/forgiving-notes', headers: token, payload: {} })
    })
    t.same(added, [4, 4, 1])
  })

  t.test('that is not valid, or not allowed, does not use its key up', async t => {
    const added = await adds(async () => {
      t.equal((await send('/notes', 'k8', { unknown: 1 })).statusCode, 400)
      t.equal(
        (await send('/notes', 'k8', { title: 'a' }, bearer(people.bia, { scopes: [] }))).statusCode,
        403,
      )
      t.equal((await send('/notes', 'k8')).statusCode, 201)
    })
    t.same(added, [1, 1, 1])
  })

  t.test('is refused, naming the header, when the key is no key', async t => {
    for (const key of ['', 'x'.repeat(256), 'with blank', 'ümlaut']) {
      const answer = await send('/notes', key)
      t.equal(answer.statusCode, 400)
      t.match(answer.json(), { code: 'validation_failed', errors: [{ path: 'Idempotency-Key' }] })
    }
    t.equal((await send('/notes', `${'x'.repeat(253)}!~`)).statusCode, 201)
  })

  t.test('is told of its first outcome before it is asked whether the record still exists', async t => {
    const { data } = (await send('/notes', 'k9')).json()
    const removal = () =>
      app.inject({
        method: 'DELETE',
        url: `/api/v1/notes/${data.id}`,
        headers: { ...token, 'idempotency-key': 'k10' },
      })
    const added = await adds(async () => {
      const answers = [await removal(), await removal()]
      t.same(
        answers.map(answer => answer.statusCode),
        [204, 204],
      )
      t.same(
        answers.map(answer => answer.body),
        ['', ''],
      )
      t.same(
        answers.map(answer => answer.headers['content-type']),
        [undefined, undefined],
      )
    })
    t.same(added, [1, -1, 1])
  })

  t.test('is compared by the bytes of a body that is not JSON', async t => {
    const raw = (payload: string) =>
      app.inject({
        method: 'POST',
        url: '/api/v1/raw-notes',
        headers: { ...token, 'idempotency-key': 'k11', 'content-type': 'message/rfc822' },
        payload: Buffer.from(payload, 'latin1'),
      })
    t.equal((await raw('a\xff')).statusCode, 200)
    t.equal((await raw('a\xff')).headers['idempotency-replayed'], 'true')
    t.equal((await raw('a\xfe')).statusCode, 422)
  })

  t.test('runs again when 24 hours are over, and what is past is removed', async t => {
    await send('/notes', 'k12')
    const stored = await database.asOwner(trx =>
      trx
        .selectFrom('idempotency_keys')
        .select(['created_at', 'expires_at'])
        .where('key', '=', 'k12')
        .executeTakeFirstOrThrow(),
    )
    t.equal(Date.parse(stored.expires_at) - Date.parse(stored.created_at), 86_400_000)
    const age = () =>
      database.asOwner(trx =>
        trx
          .updateTable('idempotency_keys')
          .set({ expires_at: '2020-01-01T00:00:00.000Z' })
          .where('key', '=', 'k12')
          .execute(),
      )
    await age()
    const added = await adds(async () => {
      const answer = await send('/notes', 'k12', { title: 'another' })
      t.equal(answer.statusCode, 201)
      t.notOk(answer.headers['idempotency-replayed'])
    })
    t.same(added, [1, 1, 0])
    await age()
    t.equal(await removeExpiredAnswers(database), 1)
    t.equal(await removeExpiredAnswers(database), 0)
  })

  t.test('is the same through POST /mcp, whose check before a confirmation leaves nothing', async t => {
    const tool = async (name: string, args: object) => {
      const answer = await app.inject({
        method: 'POST',
        url: '/mcp',
        headers: bearer(people.bia, { audience: audiences.mcp }),
        payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
      })
      return answer.json().result
    }
    const { data } = (await send('/notes', 'k13')).json()
    const added = await adds(async () => {
      const first = await tool('notes_create', { title: 't', idempotency_key: 'm1' })
      const again = await tool('notes_create', { title: 't', idempotency_key: 'm1' })
      t.same(again, first)
      t.notOk(first.isError)
      const unconfirmed = await tool('notes_delete', { id: data.id, idempotency_key: 'm2' })
      t.match(unconfirmed, { isError: true, content: [{ text: /confirmation_required/ }] })
    })
    t.same(added, [1, 1, 1])
    const headers = { ...token, 'idempotency-key': 'm2' }
    t.equal(
      (await app.inject({ method: 'DELETE', url: `/api/v1/notes/${data.id}`, headers })).statusCode,
      204,
    )
  })

  t.test('without a key every request runs', async t => {
    const added = await adds(async () => {
      for (let at = 0; at < 2; at++)
        await app.inject({ method: 'POST', url: '/api/v1/notes', headers: token, payload: {} })
    })
    t.same(added, [2, 2, 0])
  })
})
