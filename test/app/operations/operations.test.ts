import { test } from 'tap'
import { startApp } from '../plumbing/start-app.ts'
import { toIds, toRecord, toRefusal } from '../resources/answers.ts'
import { createPerson } from '../resources/person.ts'
import { storeEmail } from '../resources/store-email.ts'
import { storeOperation } from '../resources/store-operation.ts'
import { insertInbox } from '../support/insert-email.ts'

test('operations', async t => {
  const { app, database, people } = await startApp(t)
  const { billing } = people
  const vera = createPerson(app, people.vera, { workspaceId: billing.workspaceId })
  const inboxId = await insertInbox(database, billing)
  const createdBy = people.bia
  const emailId = await storeEmail(database, billing, { inboxId })
  const other = await storeEmail(database, billing, { inboxId })

  await t.test('are refused with filters that are unknown or wrong, by name', async t => {
    for (const [query, names] of Object.entries({
      'status=done': 'status',
      'email_id=x': 'email_id',
      'kind=email.process': 'kind',
      'limit=0&page=2': 'limit, page',
      'cursor=x': 'cursor',
    })) {
      t.equal(toRefusal(await vera.get(`/operations?${query}`)), `400 validation_failed ${names}`)
    }
    const emailsOnly = createPerson(app, people.bia, { scopes: ['emails:read'] })
    t.equal(toRefusal(await emailsOnly.get('/operations')), '403 insufficient_scope')
  })

  await t.test('tell how far they are and why they failed', async t => {
    const failed = await storeOperation(database, billing, {
      emailId,
      createdBy,
      status: 'failed',
      error: 'unreadable_message',
    })
    const answer = await vera.get(`/operations/${failed}`)
    t.equal(answer.headers.etag, undefined, 'nobody edits an operation')
    t.match(toRecord(answer), {
      id: failed,
      kind: 'email.process',
      status: 'failed',
      resource: { type: 'email', id: emailId },
      error: { code: 'unreadable_message', detail: null },
      created_by: createdBy,
      started_at: null,
      finished_at: null,
    })
  })

  await t.test('are narrowed, and walked newest first', async t => {
    const stored: string[] = []
    for (let count = 0; count < 5; count++) {
      stored.unshift(await storeOperation(database, billing, { emailId: other, createdBy }))
    }
    t.same(toIds(await vera.get(`/operations?email_id=${other}`)).ids, stored)
    t.same(toIds(await vera.get(`/operations?email_id=${other}&status=failed`)).ids, [])
    const first = toIds(await vera.get(`/operations?email_id=${other}&limit=3`))
    const cursor = encodeURIComponent(first.next ?? '')
    const rest = toIds(await vera.get(`/operations?email_id=${other}&limit=3&cursor=${cursor}`))
    t.same([...first.ids, ...rest.ids], stored)
    t.equal(rest.next, null)
  })
})
