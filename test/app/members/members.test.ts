import { test } from 'tap'
import { createId } from '../../../lib/id/id.ts'
import { startApp } from '../plumbing/start-app.ts'
import { toIds, toRecord, toRefusal } from '../resources/answers.ts'
import { createPerson } from '../resources/person.ts'

test('the people of a workspace', async t => {
  const started = await startApp(t)
  const { app, database, people } = started
  const { workspaceId } = people.billing
  const ana = createPerson(app, people.ana, { workspaceId })
  const bia = createPerson(app, people.bia)
  const bruno = createPerson(app, people.bruno)
  const vera = createPerson(app, people.vera, { workspaceId })
  const leo = createPerson(app, people.leo)
  const inSupport = createPerson(app, people.ana, { workspaceId: people.support.workspaceId })

  await t.test('are given no role by viewers and operators, nor with a token that only reads', async t => {
    const reader = createPerson(app, people.bia, { scopes: ['members:read'] })
    for (const [person, refusal] of [
      [vera, '403 forbidden'],
      [bruno, '403 forbidden'],
      [reader, '403 insufficient_scope'],
    ] as const) {
      t.equal(toRefusal(await person.patch(`/members/${people.bruno}`, { role: 'admin' })), refusal)
    }
    const blind = createPerson(app, people.bia, { scopes: ['emails:read'] })
    t.equal(toRefusal(await blind.get('/members')), '403 insufficient_scope')
    t.match(toRecord(await bia.get(`/members/${people.bruno}`)), { role: 'operator', version: 1 })
  })

  await t.test('are, to other workspaces and organizations, as if they did not exist', async t => {
    for (const id of [people.bruno, createId('usr'), createId('inb'), 'x', `${people.bruno}%00`]) {
      for (const stranger of [leo, inSupport]) {
        t.equal(toRefusal(await stranger.get(`/members/${id}`)), '404 not_found', id)
        const change = await stranger.patch(`/members/${id}`, { role: 'viewer' }, { 'if-match': '"9"' })
        t.equal(toRefusal(change), '404 not_found', id)
      }
    }
    t.same(toIds(await leo.get('/members')), { ids: [people.leo], next: null })
    t.same(toIds(await inSupport.get('/members')).ids, [people.ana, people.vera].sort())
  })

  await t.test('are refused a role that there is not, and members that are unknown', async t => {
    const path = `/members/${people.bruno}`
    t.equal(toRefusal(await bia.patch(path, {})), '400 validation_failed role')
    t.equal(toRefusal(await bia.patch(path, { role: 'owner' })), '400 validation_failed role')
    t.equal(toRefusal(await bia.patch(path, { role: 'viewer', name: 'X' })), '400 validation_failed name')
    t.equal(toRefusal(await bia.get('/members?sort=name')), '400 validation_failed sort')
  })

  await t.test('are listed with role, name and address, page by page', async t => {
    const all = [people.ana, people.bia, people.bruno, people.vera].sort()
    const { ids, next } = toIds(await vera.get('/members?limit=3'))
    t.same(ids, all.slice(0, 3))
    t.same(toIds(await vera.get(`/members?limit=3&cursor=${next}`)), { ids: all.slice(3), next: null })
    t.equal(toRefusal(await vera.get(`/members?role=admin&cursor=${next}`)), '400 validation_failed cursor')
    t.same(toIds(await vera.get('/members?role=admin')).ids, [people.ana, people.bia].sort())
    t.same((await vera.get(`/members/${people.bruno}`)).body, {
      data: {
        id: people.bruno,
        name: 'Bruno',
        email: 'bruno@acme.test',
        role: 'operator',
        disabled: false,
        version: 1,
      },
    })
  })

  await t.test('change their role at once on this process, whatever is remembered of them', async t => {
    const path = `/members/${people.bruno}`
    const asAdmin = () => bruno.post('/inboxes', { address: `${createId('inb')}@acme.test`, name: 'X' })
    t.equal(toRefusal(await asAdmin()), '403 forbidden')
    t.equal(
      toRefusal(await bia.patch(path, { role: 'admin' }, { 'if-match': '"2"' })),
      '412 precondition_failed',
    )
    const promoted = await bia.patch(path, { role: 'admin' }, { 'if-match': '"1"' })
    t.match(promoted, {
      status: 200,
      headers: { etag: '"2"' },
      body: { data: { role: 'admin', version: 2 } },
    })
    t.equal((await asAdmin()).status, 201)
    t.match(await bia.patch(path, { role: 'admin' }), { status: 200, headers: { etag: '"2"' } })
    const keyed = await bia.patch(path, { role: 'viewer' }, { 'idempotency-key': 'demote' })
    t.match(keyed, { status: 200, headers: { etag: '"3"' } })
    t.equal(toRefusal(await asAdmin()), '403 forbidden')
    t.match(toRecord(await bruno.get(path)), { role: 'viewer' })
  })

  await t.test('change it within 30 seconds on another', async t => {
    const other = await startApp(t, { beside: started })
    const there = createPerson(other.app, people.bruno)
    const { now } = Date
    let later = 0
    Date.now = () => now() + later
    t.teardown(() => {
      Date.now = now
    })
    t.equal(toRefusal(await there.patch(`/members/${people.vera}`, { role: 'viewer' })), '403 forbidden')
    await bia.patch(`/members/${people.bruno}`, { role: 'admin' })
    later = 30_001
    t.equal((await there.patch(`/members/${people.vera}`, { role: 'viewer' })).status, 200)
    await bia.patch(`/members/${people.bruno}`, { role: 'operator' })
  })

  await t.test('are no business of whom another process still remembers as an admin', async t => {
    const other = await startApp(t, { beside: started })
    for (const [ending, undo] of [
      [
        () => ana.patch(`/members/${people.bia}`, { role: 'viewer' }),
        () => ana.patch(`/members/${people.bia}`, { role: 'admin' }),
      ],
      [() => ana.post(`/members/${people.bia}/disable`), () => ana.post(`/members/${people.bia}/enable`)],
      [
        () => ana.delete(`/members/${people.bia}`),
        () => ana.post('/members', { email: 'bia@acme.test', name: 'Bia', role: 'admin' }),
      ],
    ] as const) {
      const there = createPerson(other.app, people.bia, { workspaceId: people.billing.workspaceId })
      for (const act of [
        () => there.post('/members', { email: 'eve@acme.test', name: 'Eve', role: 'admin' }),
        () => there.patch(`/members/${people.bia}`, { role: 'admin' }),
        () => there.patch(`/members/${people.ana}`, { role: 'viewer' }),
        () => there.delete(`/members/${people.ana}`),
        () => there.post('/webhooks', { url: 'https://eve.example/', events: ['email.processed'] }),
        () => there.post('/workspaces', { name: 'Next' }),
      ]) {
        other.app.forgetPrincipal(people.bia)
        t.equal((await there.get('/me')).status, 200)
        t.equal((await ending()).status < 300, true)
        t.match(toRefusal(await act()), /^(403 forbidden|404 workspace_not_found)$/, String(act))
        t.equal((await undo()).status < 300, true)
      }
      t.equal(toRecord(await ana.get(`/members/${people.ana}`)).role, 'admin')
    }
  })

  await t.test('always have an admin among them, an enabled one', async t => {
    t.equal(toRefusal(await leo.patch(`/members/${people.leo}`, { role: 'viewer' })), '409 conflict')
    t.match(toRecord(await leo.get(`/members/${people.leo}`)), { role: 'admin', version: 1 })

    const disable = (disabledAt: string | null) =>
      database.asOwner(trx =>
        trx.updateTable('users').set({ disabled_at: disabledAt }).where('id', '=', people.ana).execute(),
      )
    await disable('2026-01-01T00:00:00.000Z')
    t.match(toRecord(await bia.get(`/members/${people.ana}`)), { disabled: true })
    t.equal(toRefusal(await bia.patch(`/members/${people.bia}`, { role: 'viewer' })), '409 conflict')
    await disable(null)

    const both = await Promise.all([
      bia.patch(`/members/${people.ana}`, { role: 'viewer' }),
      ana.patch(`/members/${people.bia}`, { role: 'viewer' }),
    ])
    t.equal(both.filter(({ status }) => status === 200).length, 1)
    t.equal(toIds(await vera.get('/members?role=admin')).ids.length, 1)
    t.match(
      toRecord(await inSupport.get(`/members/${people.ana}`)),
      { role: 'admin' },
      'other workspaces stay',
    )
  })
})
