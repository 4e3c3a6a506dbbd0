import { test } from 'tap'
import { startApp } from '../plumbing/start-app.ts'
import { toIds, toRecord, toRefusal } from '../resources/answers.ts'
import { createPerson } from '../resources/person.ts'

const url = 'https://hooks.example.com/inbox'
const event_types = ['email.processed', 'email.failed']

test('webhooks', async t => {
  const { app, database, people } = await startApp(t)
  const bia = createPerson(app, people.bia)
  const ana = createPerson(app, people.ana, { workspaceId: people.support.workspaceId })
  const bruno = createPerson(app, people.bruno)
  const vera = createPerson(app, people.vera, { workspaceId: people.billing.workspaceId })
  const leo = createPerson(app, people.leo)
  const create = async (body = {}) => toRecord(await bia.post('/webhooks', { url, event_types, ...body }))

  await t.test('are written by admins alone', async t => {
    const { id } = await create()
    for (const person of [bruno, vera]) {
      t.equal(toRefusal(await person.post('/webhooks', { url, event_types })), '403 forbidden')
      t.equal(toRefusal(await person.patch(`/webhooks/${id}`, { enabled: false })), '403 forbidden')
      t.equal(toRefusal(await person.delete(`/webhooks/${id}`)), '403 forbidden')
      t.equal(toRefusal(await person.post(`/webhooks/${id}/rotate-secret`, {})), '403 forbidden')
      t.equal(toRefusal(await person.post(`/webhooks/${id}/test`)), '403 forbidden')
      t.match(toRecord(await person.get(`/webhooks/${id}`)), { id, url })
    }
    const reader = createPerson(app, people.bia, { scopes: ['webhooks:read'] })
    t.equal(toRefusal(await reader.post('/webhooks', { url, event_types })), '403 insufficient_scope')
  })

  await t.test('of other workspaces are as if they were not there', async t => {
    const { id } = await create()
    for (const person of [ana, leo]) {
      t.equal(toRefusal(await person.get(`/webhooks/${id}`)), '404 not_found')
      t.equal(toRefusal(await person.patch(`/webhooks/${id}`, { enabled: false })), '404 not_found')
      t.equal(toRefusal(await person.delete(`/webhooks/${id}`)), '404 not_found')
      t.equal(toRefusal(await person.post(`/webhooks/${id}/rotate-secret`, {})), '404 not_found')
      t.equal(toRefusal(await person.post(`/webhooks/${id}/test`)), '404 not_found')
      t.same(toIds(await person.get('/webhooks')).ids, [])
    }
    t.equal(toRefusal(await bia.get('/webhooks/whk_1')), '404 not_found')
  })

  await t.test('are refused URLs that events are never sent to', async t => {
    const wrong = [
      'hooks.example.com',
      'http://hooks.example.com/',
      'ftp://hooks.example.com/',
      'https://user:secret@hooks.example.com/',
      'https://user@hooks.example.com/',
      'https://hooks.example.com/#part',
      'https://127.0.0.1/',
      'https://2130706433/',
      'https://0x7f.1/',
      'https://0177.1/',
      'https://[::1]/',
      'https://[::ffff:10.0.0.1]/',
      'https://169.254.169.254/latest/meta-data/',
      'https://localhost/',
      'https://LOCALHOST.:8443/',
      'https://api.localhost/',
    ]
    const { id } = await create()
    for (const url of wrong) {
      t.equal(toRefusal(await bia.post('/webhooks', { url, event_types })), '400 validation_failed url', url)
      t.equal(toRefusal(await bia.patch(`/webhooks/${id}`, { url })), '400 validation_failed url', url)
    }
    const refused = await bia.post('/webhooks', {
      url: 'https://user:hunter2@hooks.example.com/',
      event_types,
    })
    t.notMatch(JSON.stringify(refused.body), /hunter2/)
  })

  await t.test('are refused for members that are wrong or unknown', async t => {
    const refusal = async (body: object) => toRefusal(await bia.post('/webhooks', body))
    t.equal(await refusal({}), '400 validation_failed url, event_types')
    t.equal(await refusal({ url, event_types: [] }), '400 validation_failed event_types')
    t.equal(await refusal({ url, event_types: ['email.read'] }), '400 validation_failed event_types.0')
    t.equal(await refusal({ url, event_types: ['webhook.test'] }), '400 validation_failed event_types.0')
    t.equal(
      await refusal({ url, event_types: ['email.failed', 'email.failed'] }),
      '400 validation_failed event_types',
    )
    t.equal(await refusal({ url, event_types, secret: 'mine' }), '400 validation_failed secret')
    const { id } = await create()
    t.equal(toRefusal(await bia.patch(`/webhooks/${id}`, {})), '400 validation_failed')
    const rotate = (body: object) => bia.post(`/webhooks/${id}/rotate-secret`, body)
    t.equal(toRefusal(await rotate({ overlap_hours: 169 })), '400 validation_failed overlap_hours')
  })

  await t.test('show their secret once', async t => {
    const answer = await bia.post('/webhooks', { url, event_types, description: 'ERP' })
    const created = toRecord(answer)
    t.equal(answer.status, 201)
    t.equal(answer.headers.location, `/api/v1/webhooks/${created.id}`)
    t.equal(answer.headers.etag, '"1"')
    t.match(created, {
      url,
      event_types,
      description: 'ERP',
      enabled: true,
      disabled_reason: null,
      version: 1,
    })
    t.match(created.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    const [got, listed, patched] = [
      await bia.get(`/webhooks/${created.id}`),
      await bia.get('/webhooks'),
      await bia.patch(`/webhooks/${created.id}`, { description: null }),
    ]
    for (const { body } of [got, listed, patched]) t.notMatch(JSON.stringify(body), /whsec_|secret"/)

    const rotated = await bia.post(`/webhooks/${created.id}/rotate-secret`, {}, { 'if-match': '"2"' })
    t.match(toRecord(rotated).secret, /^whsec_/)
    t.not(toRecord(rotated).secret, created.secret)
    const until = Date.parse(String(toRecord(rotated).previous_secret_until))
    t.ok(Math.abs(until - Date.now() - 24 * 3_600_000) < 60_000, 'the old one is good for a day')
    const stale = await bia.post(`/webhooks/${created.id}/rotate-secret`, {}, { 'if-match': '"2"' })
    t.equal(toRefusal(stale), '412 precondition_failed')
    const at_once = await bia.post(`/webhooks/${created.id}/rotate-secret`, { overlap_hours: 0 })
    t.equal(toRecord(at_once).previous_secret_until, null)
  })

  await t.test(
    'are created once for an idempotency key, whose kept answer has the same secret, sealed',
    async t => {
      const headers = { 'idempotency-key': 'create-once' }
      const body = { url, event_types, description: 'once' }
      const first = await bia.post('/webhooks', body, headers)
      const again = await bia.post('/webhooks', body, headers)
      t.same(again.body, first.body)
      t.equal(again.headers['idempotency-replayed'], 'true')
      t.match(toRecord(again).secret, /^whsec_/)
      const { rows } = await database.pool.query('select body from idempotency_keys')
      t.equal(rows.length, 1)
      t.notMatch(JSON.stringify(rows), /whsec_|example/)
    },
  )

  await t.test('change only in what was given, and their version only with what people edit', async t => {
    const { id } = await create({ description: 'before' })
    const patch = (body: object, headers = {}) => bia.patch(`/webhooks/${id}`, body, headers)
    t.equal(toRefusal(await patch({ enabled: false }, { 'if-match': '"2"' })), '412 precondition_failed')
    t.match(toRecord(await patch({ enabled: true, url })), { version: 1 }, 'nothing changed')
    const changed = await patch({ enabled: false, event_types: ['rule.matched'] }, { 'if-match': '"1"' })
    t.equal(changed.headers.etag, '"2"')
    t.match(toRecord(changed), { url, description: 'before', enabled: false, event_types: ['rule.matched'] })
    t.equal(
      toRecord(await patch({ url: 'HTTPS://Hooks.Example.com:443/a/../b' })).url,
      'https://hooks.example.com/b',
    )
  })

  await t.test('are gone from everywhere once deleted', async t => {
    const { id } = await create()
    t.equal(toRefusal(await bia.delete(`/webhooks/${id}`, { 'if-match': '"7"' })), '412 precondition_failed')
    const deleted = await bia.delete(`/webhooks/${id}`, { 'if-match': '"1"' })
    t.same([deleted.status, deleted.body], [204, null])
    t.equal(toRefusal(await bia.get(`/webhooks/${id}`)), '404 not_found')
    t.equal(toRefusal(await bia.patch(`/webhooks/${id}`, { enabled: true })), '404 not_found')
    t.equal(toRefusal(await bia.post(`/webhooks/${id}/test`)), '404 not_found')
    t.equal(toRefusal(await bia.delete(`/webhooks/${id}`)), '404 not_found')
    t.notOk(toIds(await bia.get('/webhooks')).ids.includes(id))
  })

  await t.test('are at most 20, also when many come at once, and listed in pages', async t => {
    const before = toIds(await bia.get('/webhooks')).ids.length
    const answers = await Promise.all(
      Array.from({ length: 22 - before }, () => bia.post('/webhooks', { url, event_types })),
    )
    t.equal(answers.filter(({ status }) => status === 201).length, 20 - before)
    for (const answer of answers.filter(({ status }) => status !== 201))
      t.equal(toRefusal(answer), '409 conflict')

    const all = toIds(await bia.get('/webhooks?limit=100')).ids
    t.equal(all.length, 20)
    t.same([...all].sort().reverse(), all, 'newest first')
    const first = toIds(await bia.get('/webhooks?limit=15'))
    const second = toIds(await bia.get(`/webhooks?limit=15&cursor=${first.next}`))
    t.same([...first.ids, ...second.ids], all)
    t.equal(second.next, null)
    t.equal(toRefusal(await bia.get('/webhooks?colour=red')), '400 validation_failed colour')
    await bia.delete(`/webhooks/${all[0]}`)
    t.equal(
      (await bia.post('/webhooks', { url, event_types })).status,
      201,
      'and one for each that is deleted',
    )
  })
})
