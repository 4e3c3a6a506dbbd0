import { test } from 'tap'
import { bearer, startApp } from '../plumbing/start-app.ts'
import { toRecord, toRefusal } from '../resources/answers.ts'
import { createPerson } from '../resources/person.ts'
import { storeEmail } from '../resources/store-email.ts'
import { insertInbox } from '../support/insert-email.ts'

const pageBytes = 32_768

test('reading an e-mail', async t => {
  const { app, database, people } = await startApp(t)
  const { billing } = people
  const vera = createPerson(app, people.vera, { workspaceId: billing.workspaceId })
  const inboxId = await insertInbox(database, billing)

  await t.test('refuses offsets that are none, and what it does not know', async t => {
    const id = await storeEmail(database, billing, { inboxId, text: 'short' })
    for (const offset of ['-1', '1.5', '', 'x', '100000001', '1&text_offset=2']) {
      const refusal = toRefusal(await vera.get(`/emails/${id}?text_offset=${offset}`))
      t.equal(refusal, '400 validation_failed text_offset', offset)
    }
    t.equal(toRefusal(await vera.get(`/emails/${id}?html=true`)), '400 validation_failed html')
  })

  await t.test('gives a short text whole, and none where there is none', async t => {
    const short = await storeEmail(database, billing, { inboxId, text: 'Olá\n' })
    const empty = await storeEmail(database, billing, { inboxId, text: '' })
    const none = await storeEmail(database, billing, { inboxId })
    const whole = { text_offset: 0, text_truncated: false, next_text_offset: null }
    t.match(toRecord(await vera.get(`/emails/${short}`)), { ...whole, text: 'Olá\n', text_length: 4 })
    t.match(toRecord(await vera.get(`/emails/${empty}`)), { ...whole, text: '', text_length: 0 })
    t.match(toRecord(await vera.get(`/emails/${none}`)), { ...whole, text: null, text_length: 0 })
    const beyond = toRecord(await vera.get(`/emails/${short}?text_offset=99`))
    t.match(beyond, { text: '', text_offset: 99, text_truncated: false, next_text_offset: null })
  })

  await t.test('gives exactly 32 KB whole, and one byte more in two pages', async t => {
    const exact = await storeEmail(database, billing, { inboxId, text: 'x'.repeat(pageBytes) })
    const more = await storeEmail(database, billing, { inboxId, text: `${'x'.repeat(pageBytes)}y` })
    t.match(toRecord(await vera.get(`/emails/${exact}`)), { text_truncated: false, next_text_offset: null })
    t.match(toRecord(await vera.get(`/emails/${more}`)), {
      text_truncated: true,
      next_text_offset: pageBytes,
    })
    t.match(toRecord(await vera.get(`/emails/${more}?text_offset=${pageBytes}`)), { text: 'y' })
  })

  await t.test('cuts no character, and its pages put together are the text', async t => {
    for (const character of ['é', '€', '😀', 'a😀é€']) {
      const text = `a${character.repeat(25_000)}`
      const id = await storeEmail(database, billing, { inboxId, text })
      let read = ''
      let pages = 0
      for (let offset: unknown = 0; offset !== null; pages++) {
        const email = toRecord(await vera.get(`/emails/${id}?text_offset=${offset}`))
        const page = String(email.text)
        t.ok(Buffer.byteLength(page) <= pageBytes && Buffer.byteLength(page) > 0)
        t.notMatch(page, '\ufffd')
        read += page
        offset = email.next_text_offset
      }
      t.equal(read, text, `${character}: ${pages} pages`)
    }
  })

  await t.test('gives the version as ETag, and does not mark the e-mail as read', async t => {
    const id = await storeEmail(database, billing, { inboxId, text: 'x' })
    await vera.get(`/emails/${id}`)
    const answer = await vera.get(`/emails/${id}`)
    t.equal(answer.headers.etag, '"1"')
    t.match(toRecord(answer), { version: 1, read: false })
  })

  await t.test('gives the message as it arrived, byte for byte', async t => {
    const raw = `Subject: \xe9\xff\x00\r\n\r\n${String.fromCharCode(...Array(256).keys())}`
    const id = await storeEmail(database, billing, { inboxId, raw })
    const headers = { ...bearer(people.vera), 'x-workspace-id': billing.workspaceId }
    const response = await app.inject({ url: `/api/v1/emails/${id}/raw`, headers })
    t.equal(response.statusCode, 200)
    t.match(response.headers, {
      'content-type': 'message/rfc822',
      'content-disposition': `attachment; filename="${id}.eml"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    t.same(response.rawPayload, Buffer.from(raw, 'latin1'))
  })
})
