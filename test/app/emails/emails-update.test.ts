import { test } from 'tap'
import { startApp } from '../plumbing/start-app.ts'
import { toRecord, toRefusal } from '../resources/answers.ts'
import { createPerson } from '../resources/person.ts'
import { storeEmail } from '../resources/store-email.ts'
import { insertInbox } from '../support/insert-email.ts'

test('editing an e-mail', async t => {
  const { app, database, people } = await startApp(t)
  const { billing } = people
  const vera = createPerson(app, people.vera, { workspaceId: billing.workspaceId })
  const bruno = createPerson(app, people.bruno)
  const reader = createPerson(app, people.bruno, { scopes: ['emails:read'] })
  const inboxId = await insertInbox(database, billing)
  const store = (labels: string[] = []) => storeEmail(database, billing, { inboxId, labels })

  await t.test('is refused to viewers and to tokens that only read', async t => {
    const id = await store()
    t.equal(toRefusal(await vera.patch(`/emails/${id}`, { read: true })), '403 forbidden')
    t.equal(toRefusal(await vera.delete(`/emails/${id}`)), '403 forbidden')
    const refused = await reader.patch(`/emails/${id}`, { read: true })
    t.equal(toRefusal(refused), '403 insufficient_scope')
    t.match(refused.headers['www-authenticate'], /scope="emails:write"/)
    t.match(toRecord(await vera.get(`/emails/${id}`)), { read: false, version: 1 })
  })

  await t.test('refuses members that it does not know or cannot read, by name', async t => {
    const id = await store()
    const refused: [object, string][] = [
      [{}, ''],
      [[], ''],
      [{ read: 'true' }, 'read'],
      [{ read: null }, 'read'],
      [{ labels: 'late' }, 'labels'],
      [{ labels: [''] }, 'labels.0'],
      [{ labels: ['ok', 'a\u0000b'] }, 'labels.1'],
      [{ labels: ['x'.repeat(51)] }, 'labels.0'],
      [{ labels: Array.from({ length: 21 }, (_, number) => `label ${number}`) }, 'labels'],
      [{ read: true, subject: 'Other', status: 'failed' }, 'subject, status'],
    ]
    for (const [body, names] of refused) {
      const refusal = toRefusal(await bruno.patch(`/emails/${id}`, body))
      t.match(refusal, `400 validation_failed ${names}`.trim(), JSON.stringify(body).slice(0, 60))
    }
    const refusal = toRefusal(await bruno.patch(`/emails/${id}?notify=true`, { read: true }))
    t.equal(refusal, '400 validation_failed notify')
    t.equal(toRefusal(await bruno.delete(`/emails/${id}?force=1`)), '400 validation_failed force')
    t.match(toRecord(await bruno.get(`/emails/${id}`)), { version: 1 })
  })

  await t.test('refuses an If-Match that names another version or none', async t => {
    const id = await store()
    await bruno.patch(`/emails/${id}`, { read: true })
    for (const ifMatch of ['"1"', '"3"', 'W/"2"', '"1", "3"', '""', '"02"']) {
      const headers = { 'if-match': ifMatch }
      const update = await bruno.patch(`/emails/${id}`, { read: false }, headers)
      t.equal(toRefusal(update), '412 precondition_failed', ifMatch)
      t.equal(toRefusal(await bruno.delete(`/emails/${id}`, headers)), '412 precondition_failed', ifMatch)
    }
    for (const ifMatch of ['2', "'2'", '"2" "3"', '"2",', '', 'W/2', '*, "2"']) {
      const update = await bruno.patch(`/emails/${id}`, { read: false }, { 'if-match': ifMatch })
      t.equal(toRefusal(update), '400 validation_failed if-match', ifMatch)
    }
    t.match(toRecord(await bruno.get(`/emails/${id}`)), { read: true, version: 2 })
  })

  await t.test('of two at once who name the same version, one is refused', async t => {
    const id = await store()
    const headers = { 'if-match': '"1"' }
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map(label => bruno.patch(`/emails/${id}`, { labels: [label] }, headers)),
    )
    t.same(answers.map(({ status }) => status).sort(), [200, 412, 412, 412])
    const winner = answers.find(({ status }) => status === 200)
    if (!winner) throw new Error('somebody must win')
    t.same(toRecord(await bruno.get(`/emails/${id}`)).labels, toRecord(winner).labels)
  })

  await t.test('changes what is given, leaves the rest, and counts the version', async t => {
    const id = await store(['first'])
    const read = await bruno.patch(`/emails/${id}`, { read: true }, { 'if-match': '"7", "1"' })
    t.match(toRecord(read), { read: true, labels: ['first'], version: 2 })
    t.equal(read.headers.etag, '"2"')
    const labelled = await bruno.patch(`/emails/${id}`, { labels: [' b ', 'a', 'b'] }, { 'if-match': '*' })
    t.match(toRecord(labelled), { read: true, labels: ['b', 'a'], version: 3 })
    const same = await bruno.patch(`/emails/${id}`, { labels: ['b', 'a'], read: true })
    t.match(toRecord(same), { version: 3 })
    t.same(toRecord(same).updated_at, toRecord(labelled).updated_at, 'what changes nothing is no edit')
    t.match(toRecord(await bruno.patch(`/emails/${id}`, { labels: [] })), { labels: [], version: 4 })
  })

  await t.test('is done once per idempotency key, before If-Match is looked at', async t => {
    const id = await store()
    const headers = { 'if-match': '"1"', 'idempotency-key': `edit-${id}` }
    const first = await bruno.patch(`/emails/${id}`, { labels: ['once'] }, headers)
    const again = await bruno.patch(`/emails/${id}`, { labels: ['once'] }, headers)
    t.same(again.body, first.body)
    t.equal(again.headers.etag, '"2"')
    const other = await bruno.patch(`/emails/${id}`, { labels: ['twice'] }, headers)
    t.equal(toRefusal(other), '422 idempotency_key_reused')
  })

  await t.test('deletes for good, and frees nothing else', async t => {
    const [id, kept] = [await store(), await store()]
    const headers = { 'if-match': '"1"', 'idempotency-key': `delete-${id}` }
    const deleted = await bruno.delete(`/emails/${id}`, headers)
    t.match(deleted, { status: 204, body: null })
    t.match(await bruno.delete(`/emails/${id}`, headers), { status: 204, body: null }, 'replayed')
    t.equal(toRefusal(await bruno.delete(`/emails/${id}`)), '404 not_found')
    t.equal(toRefusal(await bruno.patch(`/emails/${id}`, { read: true })), '404 not_found')
    t.equal(toRefusal(await bruno.get(`/emails/${id}/raw`)), '404 not_found')
    t.match(toRecord(await bruno.get(`/emails/${kept}`)), { version: 1 })
  })
})
