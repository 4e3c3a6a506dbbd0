import { test } from 'tap'
import { createId } from '../../../lib/id/id.ts'
import { bearer, startApp } from '../plumbing/start-app.ts'
import { toIds, toRecord, toRefusal } from '../resources/answers.ts'
import { createPerson } from '../resources/person.ts'
import { storeEmail } from '../resources/store-email.ts'
import { storeAttachment } from '../resources/store-extraction.ts'
import { insertInbox } from '../support/insert-email.ts'

test('the attachments of an e-mail', async t => {
  const { app, database, people } = await startApp(t)
  const { billing } = people
  const inboxId = await insertInbox(database, billing)
  const emailId = await storeEmail(database, billing, { inboxId })
  const other = await storeEmail(database, billing, { inboxId })
  const vera = createPerson(app, people.vera, { workspaceId: billing.workspaceId })
  const bruno = createPerson(app, people.bruno)
  const html = Buffer.from('<script>alert(1)</script>')
  const [second, first] = [
    await storeAttachment(database, billing, {
      emailId,
      position: 1,
      filename: 'relatório.html',
      contentType: 'text/html',
      content: html,
    }),
    await storeAttachment(database, billing, { emailId, filename: null, reading: 'broken' }),
  ]
  await storeAttachment(database, billing, { emailId: other })
  const download = (id: string, headers = bearer(people.bruno)) =>
    app.inject({ url: `/api/v1/attachments/${id}/content`, headers })

  await t.test('are refused for unknown e-mails, parameters and cursors', async t => {
    t.equal(toRefusal(await vera.get(`/emails/${createId('eml')}/attachments`)), '404 not_found')
    t.equal(toRefusal(await vera.get('/emails/x/attachments')), '404 not_found')
    t.equal(
      toRefusal(await vera.get(`/emails/${emailId}/attachments?colour=red`)),
      '400 validation_failed colour',
    )
    const { next } = toIds(await vera.get(`/emails/${emailId}/attachments?limit=1`))
    const elsewhere = await vera.get(`/emails/${other}/attachments?limit=1&cursor=${next}`)
    t.equal(toRefusal(elsewhere), '400 validation_failed cursor')
    t.equal(toRefusal(await vera.get(`/attachments/${createId('att')}`)), '404 not_found')
    t.equal((await download(createId('att'))).statusCode, 404)
  })

  await t.test('need the scope emails:read', async t => {
    const scopes = ['inboxes:read']
    const narrow = createPerson(app, people.bruno, { scopes })
    t.equal(toRefusal(await narrow.get(`/emails/${emailId}/attachments`)), '403 insufficient_scope')
    t.equal(toRefusal(await narrow.get(`/attachments/${first}`)), '403 insufficient_scope')
    t.equal((await download(first, bearer(people.bruno, { scopes }))).statusCode, 403)
  })

  await t.test('are listed in the order of the message, in pages', async t => {
    const page = await vera.get(`/emails/${emailId}/attachments?limit=1`)
    t.same(toIds(page).ids, [first])
    const rest = await vera.get(`/emails/${emailId}/attachments?limit=1&cursor=${toIds(page).next}`)
    t.same(toIds(rest), { ids: [second], next: null })
    t.same(toIds(await vera.get(`/emails/${await storeEmail(database, billing, { inboxId })}/attachments`)), {
      ids: [],
      next: null,
    })
  })

  await t.test('are described one by one', async t => {
    t.same(toRecord(await vera.get(`/attachments/${first}`)), {
      id: first,
      email_id: emailId,
      filename: null,
      content_type: 'text/plain',
      size_bytes: 7,
      content_id: null,
      disposition: 'attachment',
      sha256: 'a'.repeat(64),
      position: 0,
      reading: 'broken',
    })
  })

  await t.test('are downloaded byte for byte, and never shown', async t => {
    const answer = await download(second)
    t.same(answer.rawPayload, html)
    t.match(answer.headers, {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="relatorio.html"; filename*=UTF-8''relat%C3%B3rio.html`,
      'x-content-type-options': 'nosniff',
    })
    t.match((await download(first)).headers, {
      'content-type': 'text/plain',
      'content-disposition': `attachment; filename="${first}"; filename*=UTF-8''${first}`,
    })
  })

  await t.test('are gone with their e-mail, and with its inbox, at once', async t => {
    const gone = async (id: string, email: string) => {
      t.equal(toRefusal(await bruno.get(`/attachments/${id}`)), '404 not_found')
      t.equal(toRefusal(await bruno.get(`/emails/${email}/attachments`)), '404 not_found')
      t.equal((await download(id)).statusCode, 404)
    }
    await bruno.delete(`/emails/${emailId}`)
    await gone(first, emailId)
    const closing = await insertInbox(database, billing)
    const email = await storeEmail(database, billing, { inboxId: closing })
    const file = await storeAttachment(database, billing, { emailId: email })
    await createPerson(app, people.bia).delete(`/inboxes/${closing}`)
    await gone(file, email)
  })
})
