import { test } from 'tap'
import { processEmail } from '../../../lib/mail/process-email.ts'
import { startApp } from '../plumbing/start-app.ts'
import { toIds, toRecord, toRefusal } from '../resources/answers.ts'
import { createPerson } from '../resources/person.ts'
import { storeEmail } from '../resources/store-email.ts'
import { insertInbox } from '../support/insert-email.ts'

const raw = 'From: joe@sender.test\r\nSubject: Again\r\n\r\nonce more'

test('processing an e-mail again', async t => {
  const { app, database, people } = await startApp(t)
  await app.jobs.start()
  t.teardown(() => app.jobs.stop())
  const { billing } = people
  const inboxId = await insertInbox(database, billing)
  const vera = createPerson(app, people.vera, { workspaceId: billing.workspaceId })
  const bruno = createPerson(app, people.bruno)
  const reprocess = (id: string, headers = {}) => bruno.post(`/emails/${id}/reprocess`, undefined, headers)

  await t.test('is refused to viewers, for another version, and with anything to say', async t => {
    const id = await storeEmail(database, billing, { inboxId, status: 'failed' })
    t.equal(toRefusal(await vera.post(`/emails/${id}/reprocess`)), '403 forbidden')
    t.equal(toRefusal(await reprocess(id, { 'if-match': '"2"' })), '412 precondition_failed')
    t.equal(toRefusal(await reprocess(id, { 'if-match': '2' })), '400 validation_failed if-match')
    const withBody = await bruno.post(`/emails/${id}/reprocess`, { force: true })
    t.equal(toRefusal(withBody), '400 validation_failed force')
    t.same(toIds(await vera.get(`/operations?email_id=${id}`)).ids, [])
    t.match(toRecord(await vera.get(`/emails/${id}`)), { status: 'failed' })
  })

  for (const status of ['processed', 'failed', 'rejected'] as const) {
    await t.test(`begins anew when it is ${status}, and keeps what people edited`, async t => {
      const id = await storeEmail(database, billing, { inboxId, status, labels: ['kept'], raw })
      const answer = await reprocess(id, { 'if-match': '"1"' })
      const operation = toRecord(answer)
      t.equal(answer.status, 202)
      t.equal(answer.headers.location, `/api/v1/operations/${operation.id}`)
      t.match(operation, { status: 'queued', resource: { type: 'email', id }, created_by: people.bruno })
      t.match(toRecord(await vera.get(`/emails/${id}`)), { status: 'received', version: 1, failure: null })

      await processEmail(database, { emailId: id, operationId: operation.id, ...billing })
      t.match(toRecord(await vera.get(`/operations/${operation.id}`)), { status: 'succeeded' })
      t.match(toRecord(await vera.get(`/emails/${id}`)), {
        status: 'processed',
        subject: 'Again',
        labels: ['kept'],
        version: 1,
      })
      t.not(toRecord(await reprocess(id)).id, operation.id, 'and again after that')
    })
  }

  await t.test('by many at once begins one operation', async t => {
    const id = await storeEmail(database, billing, { inboxId, raw })
    const answers = await Promise.all([1, 2, 3, 4].map(() => reprocess(id)))
    for (const answer of answers) t.equal(answer.status, 202)
    t.equal(new Set(answers.map(answer => toRecord(answer).id)).size, 1)
    t.equal(toIds(await vera.get(`/operations?email_id=${id}`)).ids.length, 1)
  })

  await t.test('with the same idempotency key is one wish', async t => {
    const id = await storeEmail(database, billing, { inboxId, raw })
    const headers = { 'idempotency-key': `reprocess-${id}` }
    const first = await reprocess(id, headers)
    await processEmail(database, { emailId: id, operationId: toRecord(first).id, ...billing })
    t.same((await reprocess(id, headers)).body, first.body)
    t.match(toRecord(await vera.get(`/emails/${id}`)), { status: 'processed' })
  })
})
