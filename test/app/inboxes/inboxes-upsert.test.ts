import { test } from 'tap'
import { startApp } from '../plumbing/start-app.ts'
import { toIds, toRecord, toRefusal } from '../resources/answers.ts'
import { createPerson } from '../resources/person.ts'

test('an upsert of an inbox', async t => {
  const { app, people } = await startApp(t)
  const bia = createPerson(app, people.bia)
  const ana = createPerson(app, people.ana, { workspaceId: people.billing.workspaceId })

  await t.test('with If-Match creates nothing', async t => {
    for (const ifMatch of ['"1"', '*']) {
      const answer = await bia.put(
        '/inboxes',
        { address: 'no@acme.test', name: 'No' },
        { 'if-match': ifMatch },
      )
      t.equal(toRefusal(answer), '412 precondition_failed')
    }
    t.same(toIds(await bia.get('/inboxes')).ids, [])
  })

  await t.test('creates, then changes what is given and keeps the rest', async t => {
    const address = 'billing@acme.test'
    const created = await bia.put('/inboxes', { address, name: 'Billing', retention_days: 90 })
    const { id } = toRecord(created)
    t.match(created, { status: 201, headers: { etag: '"1"', location: `/api/v1/inboxes/${id}` } })
    const changed = await ana.put('/inboxes', { address: 'BILLING@acme.test', name: 'Bills' })
    t.match(changed, { status: 200, headers: { etag: '"2"', location: undefined } })
    t.match(toRecord(changed), { id, address, name: 'Bills', retention_days: 90 })
    const same = await bia.put('/inboxes', { address, name: 'Bills' }, { 'if-match': '"2"' })
    t.match(same, { status: 200, headers: { etag: '"2"' } }, 'what changes nothing is no edit')
    const stale = await bia.put('/inboxes', { address, name: 'Stale' }, { 'if-match': '"1"' })
    t.equal(toRefusal(stale), '412 precondition_failed')
  })

  await t.test('by many at once creates one', async t => {
    const address = 'race@acme.test'
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, number) => bia.put('/inboxes', { address, name: `Race ${number}` })),
    )
    t.same(answers.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 200, 200, 201])
    t.equal(new Set(answers.map(answer => toRecord(answer).id)).size, 1)
    t.same(answers.map(answer => toRecord(answer).version).sort(), [1, 2, 3, 4, 5, 6, 7, 8])
    t.equal(toIds(await bia.get(`/inboxes?address=${address}`)).ids.length, 1)
  })

  await t.test('of two organizations at once gives the address to one', async t => {
    const leo = createPerson(app, people.leo)
    const body = { address: 'wanted@example.com', name: 'Wanted' }
    const answers = await Promise.all([bia.put('/inboxes', body), leo.put('/inboxes', body)])
    t.same(answers.map(({ status }) => status).sort(), [201, 409])
  })

  await t.test('after a deletion creates anew', async t => {
    const body = { address: 'again@acme.test', name: 'Again' }
    const first = toRecord(await bia.put('/inboxes', { ...body, description: 'old' }))
    await bia.delete(`/inboxes/${first.id}`)
    const second = await bia.put('/inboxes', body)
    t.equal(second.status, 201)
    t.match(toRecord(second), { description: null, version: 1 })
    t.not(toRecord(second).id, first.id)
  })
})
