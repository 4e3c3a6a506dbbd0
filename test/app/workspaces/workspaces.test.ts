import { test } from 'tap'
import { createId } from '../../../lib/id/id.ts'
import { startApp } from '../plumbing/start-app.ts'
import { toIds, toRecord, toRefusal, withoutRequestId } from '../resources/answers.ts'
import { createPerson } from '../resources/person.ts'

test('workspaces', async t => {
  const { app, database, people } = await startApp(t)
  const billing = people.billing.workspaceId
  const support = people.support.workspaceId
  const ana = createPerson(app, people.ana)
  const bia = createPerson(app, people.bia)
  const vera = createPerson(app, people.vera)
  const bruno = createPerson(app, people.bruno)

  await t.test('are created and renamed by admins only', async t => {
    const reader = createPerson(app, people.ana, { scopes: ['workspaces:read'] })
    for (const [person, refusal] of [
      [vera, '403 forbidden'],
      [bruno, '403 forbidden'],
      [reader, '403 insufficient_scope'],
    ] as const) {
      t.equal(toRefusal(await person.post('/workspaces', { name: 'Mine' })), refusal)
      t.equal(toRefusal(await person.patch(`/workspaces/${billing}`, { name: 'Mine' })), refusal)
      t.match(toRecord(await person.get(`/workspaces/${billing}`)), { name: 'Billing', version: 1 })
    }
  })

  await t.test('are refused with members that are unknown or wrong, by name', async t => {
    const refused: [object, string][] = [
      [{}, 'name'],
      [{ name: '' }, 'name'],
      [{ name: null }, 'name'],
      [{ name: 'Ok', role: 'admin' }, 'role'],
    ]
    for (const [body, names] of refused) {
      t.equal(toRefusal(await ana.post('/workspaces', body)), `400 validation_failed ${names}`)
      const update = await ana.patch(`/workspaces/${billing}`, body)
      t.equal(toRefusal(update), `400 validation_failed ${names}`)
    }
    t.equal(toRefusal(await ana.get('/workspaces?name=Ok')), '400 validation_failed name')
    t.equal(toRefusal(await ana.get(`/workspaces/${billing}?full=1`)), '400 validation_failed full')
  })

  await t.test('of others are as if they did not exist', async t => {
    const main = people.main.workspaceId
    const unknown = withoutRequestId(await bia.get(`/workspaces/${createId('wsp')}`))
    for (const id of [support, main, 'wsp_1', 'x', '%00', '..%2f', billing.toUpperCase()]) {
      t.same(withoutRequestId(await bia.get(`/workspaces/${id}`)), unknown, id)
      t.same(withoutRequestId(await bia.patch(`/workspaces/${id}`, { name: 'Mine' })), unknown, id)
    }
    t.same(toIds(await bia.get('/workspaces')).ids, [billing])
    t.same(toIds(await createPerson(app, people.leo).get('/workspaces')).ids, [main])
  })

  await t.test('are listed newest first, page by page', async t => {
    const all = toIds(await ana.get('/workspaces'))
    t.same(all, { ids: [billing, support].sort().reverse(), next: null })
    const first = toIds(await ana.get('/workspaces?limit=1'))
    const cursor = encodeURIComponent(first.next ?? '')
    const second = toIds(await ana.get(`/workspaces?limit=1&cursor=${cursor}`))
    t.same([...first.ids, ...second.ids], all.ids)
    t.equal(second.next, null)
    const others = await vera.get(`/workspaces?limit=1&cursor=${cursor}`)
    t.equal(toRefusal(others), '400 validation_failed cursor')
  })

  await t.test('are renamed, one version after the other', async t => {
    const path = `/workspaces/${support}`
    const answers = await Promise.all(
      ['A', 'B'].map(name => ana.patch(path, { name }, { 'if-match': '"1"' })),
    )
    t.same(answers.map(({ status }) => status).sort(), [200, 412])
    const { version, name } = toRecord(await ana.get(path))
    t.equal(version, 2)
    const same = await ana.patch(path, { name })
    t.match(same, { status: 200, headers: { etag: '"2"' } }, 'what changes nothing is no edit')
  })

  await t.test('take an admin of that very workspace, not of another', async t => {
    // As the owner: letting people in is not part of these operations.
    const membership = { user_id: people.bia, workspace_id: support, organization_id: people.acme.id }
    await database.asOwner(trx =>
      trx
        .insertInto('memberships')
        .values({ ...membership, role: 'viewer' })
        .execute(),
    )
    t.match(toRecord(await bia.get(`/workspaces/${support}`)), { role: 'viewer' })
    t.equal(toRefusal(await bia.patch(`/workspaces/${support}`, { name: 'Mine' })), '403 forbidden')
    const created = toRecord(await bia.post('/workspaces', { name: 'Sales' }))
    t.equal(toRefusal(await ana.patch(`/workspaces/${created.id}`, { name: 'Mine' })), '404 not_found')
    const renamed = await bia.patch(`/workspaces/${created.id}`, { name: 'Sales Brazil' })
    t.match(toRecord(renamed), { name: 'Sales Brazil', role: 'admin', version: 2 })
  })

  await t.test('can be used by their creator at once', async t => {
    const created = await ana.post('/workspaces', { name: 'Fresh' })
    const { id } = toRecord(created)
    t.match(created, { status: 201, headers: { etag: '"1"', location: `/api/v1/workspaces/${id}` } })
    const inside = createPerson(app, people.ana, { workspaceId: id })
    t.same(toIds(await inside.get('/inboxes')).ids, [])
    t.equal((await inside.post('/inboxes', { address: 'fresh@acme.test', name: 'Fresh' })).status, 201)
    t.match((await ana.get('/me')).body, {
      data: {
        workspaces: [{ id: billing }, { id: support }, { id, name: 'Fresh', role: 'admin' }].sort((a, b) =>
          a.id < b.id ? -1 : 1,
        ),
      },
    })
  })

  await t.test('are created once per idempotency key', async t => {
    const headers = { 'idempotency-key': 'workspace-once' }
    const first = await ana.post('/workspaces', { name: 'Once' }, headers)
    const again = await ana.post('/workspaces', { name: 'Once' }, headers)
    t.same([again.status, again.body], [201, first.body])
    t.equal(toRefusal(await ana.post('/workspaces', { name: 'Two' }, headers)), '422 idempotency_key_reused')
  })
})

test('a second workspace must be named by its creator at once', async t => {
  const { app, people } = await startApp(t)
  const bia = createPerson(app, people.bia)
  t.equal((await bia.get('/inboxes')).status, 200)
  t.equal((await bia.post('/workspaces', { name: 'Second' })).status, 201)
  t.equal(toRefusal(await bia.get('/inboxes')), '400 workspace_required')
})
