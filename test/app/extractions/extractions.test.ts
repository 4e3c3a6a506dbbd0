import { test } from 'tap'
import { createId } from '../../../lib/id/id.ts'
import { processEmail } from '../../../lib/mail/process-email.ts'
import { bankLine, boletoFile, cnpj, invoiceMessage } from '../../lib/mail/support/invoice-message.ts'
import { bearer, startApp } from '../plumbing/start-app.ts'
import { toIds, toRefusal } from '../resources/answers.ts'
import { createPerson } from '../resources/person.ts'
import { storeEmail } from '../resources/store-email.ts'
import { storeExtraction } from '../resources/store-extraction.ts'
import { insertInbox } from '../support/insert-email.ts'

test('what was extracted', async t => {
  const { app, database, people } = await startApp(t)
  const { billing } = people
  const [inboxId, otherInbox] = [await insertInbox(database, billing), await insertInbox(database, billing)]
  const emailId = await storeEmail(database, billing, { inboxId })
  const otherEmail = await storeEmail(database, billing, { inboxId: otherInbox })
  const vera = createPerson(app, people.vera, { workspaceId: billing.workspaceId })
  const bruno = createPerson(app, people.bruno)
  const here = { emailId, inboxId }
  const there = { emailId: otherEmail, inboxId: otherInbox }
  const march = '2026-03-01T00:00:00.000Z'
  const april = '2026-04-01T00:00:00.000Z'
  const ids = {
    early: await storeExtraction(database, billing, {
      ...here,
      kind: 'boleto',
      value: '1',
      dueOn: '2026-03-10',
      foundAt: march,
    }),
    late: await storeExtraction(database, billing, {
      ...there,
      kind: 'boleto',
      value: '2',
      dueOn: '2026-03-20',
      foundAt: april,
    }),
    open: await storeExtraction(database, billing, {
      ...there,
      kind: 'boleto',
      value: '3',
      foundAt: april,
      position: 1,
    }),
    cnpj: await storeExtraction(database, billing, {
      ...here,
      kind: 'cnpj',
      value: cnpj,
      foundAt: march,
      position: 1,
    }),
    link: await storeExtraction(database, billing, {
      ...there,
      kind: 'link',
      value: `https://a.test/${'x'.repeat(4_000)}`,
      foundAt: april,
      position: 2,
    }),
  }
  const find = async (query: string) => toIds(await vera.get(`/extractions?${query}`)).ids

  await t.test('is refused with wrong filters, without the scope and for unknown e-mails', async t => {
    const wrong =
      'kind=invoice&due_after=2026-02-30&due_before=today&found_after=2026&inbox_id=x&email_id=eml_'
    t.equal(
      toRefusal(await vera.get(`/extractions?${wrong}`)),
      '400 validation_failed kind, inbox_id, email_id, due_after, due_before, found_after',
    )
    t.equal(toRefusal(await vera.get('/extractions?amount=1')), '400 validation_failed amount')
    t.equal(toRefusal(await vera.get(`/emails/${createId('eml')}/extraction`)), '404 not_found')
    const narrow = createPerson(app, people.bruno, { scopes: ['rules:read'] })
    t.equal(toRefusal(await narrow.get('/extractions')), '403 insufficient_scope')
    t.equal(toRefusal(await narrow.get(`/emails/${emailId}/extraction`)), '403 insufficient_scope')
  })

  await t.test('is listed newest first, in pages that miss and repeat nothing', async t => {
    const all = await find('')
    t.same(all, [ids.link, ids.open, ids.late, ids.cnpj, ids.early])
    const walked: string[] = []
    let next: string | null = ''
    while (next !== null) {
      const page = toIds(await vera.get(`/extractions?limit=2${next && `&cursor=${next}`}`))
      walked.push(...page.ids)
      next = page.next
    }
    t.same(walked, all)
  })

  await t.test('is found by each filter, and by several', async t => {
    const { early, late, open, cnpj: company, link } = ids
    t.same(await find('kind=boleto'), [open, late, early])
    t.same(await find(`inbox_id=${inboxId}`), [company, early])
    t.same(await find(`email_id=${otherEmail}`), [link, open, late])
    t.same(await find(`value=${cnpj}`), [company])
    t.same(await find(`value=${encodeURIComponent(`https://a.test/${'x'.repeat(4_000)}`)}`), [link])
    t.same(await find(`value=${cnpj.toLowerCase()}`), [], 'exactly')
    t.same(await find('due_after=2026-03-10'), [late, early], 'on that day or later')
    t.same(await find('due_before=2026-03-20'), [early], 'before that day')
    t.same(await find('due_after=2026-03-11&due_before=2026-04-01'), [late])
    t.same(await find(`found_after=${april}`), [link, open, late])
    t.same(await find(`found_before=${april}`), [company, early])
    t.same(await find(`kind=boleto&found_after=${april}&inbox_id=${inboxId}`), [])
  })

  await t.test('is all there is of one e-mail, by kind, with what could not be searched', async t => {
    const broken = { ...boletoFile, name: 'lost.pdf', content: Buffer.from('%PDF-1.7 x') }
    const amounts = Array.from({ length: 25 }, (_, index) => `R$ ${index + 1},00`).join('\r\n')
    const raw = invoiceMessage({
      id: 'a@b.test',
      text: `CNPJ ${cnpj}\r\n${amounts}`,
      files: [boletoFile, broken],
    })
    await app.jobs.start()
    t.teardown(() => app.jobs.stop())
    const taken = await app.inject({
      method: 'POST',
      url: `/api/v1/inboxes/${inboxId}/emails`,
      headers: { ...bearer(people.bruno), 'content-type': 'message/rfc822' },
      payload: raw,
    })
    const { id: operationId, resource } = taken.json().data
    const before = await vera.get(`/emails/${resource.id}/extraction`)
    t.match(before.body, { data: { status: 'received', counts: {}, values: {} } }, 'nothing yet')
    await processEmail(database, { emailId: resource.id, operationId, ...billing })
    const { body } = await vera.get(`/emails/${resource.id}/extraction`)
    t.match(body, {
      data: {
        email_id: resource.id,
        status: 'processed',
        counts: { boleto: 1, cnpj: 1, amount: 25, link: 1 },
        values: {
          boleto: [{ value: bankLine, details: { amount: '1.00' }, found: { source: 'attachment' } }],
          cnpj: [{ value: cnpj, details: { alphanumeric: true }, found: { source: 'text' } }],
          pix: undefined,
          amount: { length: 20, 0: { value: 'BRL 1.00' } },
        },
        unread_attachments: [{ filename: 'lost.pdf', reason: 'broken' }],
      },
    })
    const files = toIds(await vera.get(`/emails/${resource.id}/attachments`)).ids
    t.match(body, { data: { values: { boleto: [{ found: { attachment_id: files[0] } }] } } })
    const { ids: listed, next } = toIds(await vera.get(`/extractions?email_id=${resource.id}&kind=amount`))
    t.equal(listed.length, 20)
    t.ok(next)
    await bruno.delete(`/emails/${resource.id}`)
    t.equal(toRefusal(await vera.get(`/emails/${resource.id}/extraction`)), '404 not_found')
    t.same(await find(`email_id=${resource.id}`), [])
    t.same(await find(`value=${bankLine}`), [])
  })
})
