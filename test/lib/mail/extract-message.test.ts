import { test } from 'tap'
import { extractMessage } from '../../../lib/mail/extract-message.ts'
import { parseMessage } from '../../../lib/mail/parse-message.ts'
import { pdfBudget, readPdfs } from '../../../lib/mail/read-pdfs.ts'
import { makePdf, toContent } from '../extract/fixtures/make-pdf.ts'
import { bankLine, boletoFile, cnpj, invoiceMessage } from './support/invoice-message.ts'

const receivedAt = '2007-12-03T12:31:00.000Z'

function pdf(text: string) {
  return makePdf({ pages: [toContent([text])] })
}

test('text, HTML and PDFs are searched, and each value says where it stands first', async t => {
  const message = await parseMessage(invoiceMessage({ id: 'a@supplier.test' }))
  const { extractions, readings } = await extractMessage(message, { receivedAt })
  t.match(
    extractions.map(({ kind, value, found }) => [kind, value, found.source, found.attachment_id]),
    [
      ['boleto', bankLine, 'attachment', '0'],
      ['cnpj', cnpj, 'text', undefined],
      ['link', 'https://supplier.test/pay', 'html', undefined],
    ],
  )
  t.match(extractions[0]?.details, { amount: '1.00', due_date: '2007-12-31' })
  t.same(readings, ['read'])
})

test('due dates are read near the day when the message was written, unless that has not come yet', async t => {
  // Factor 3737 is 31 December 2007, or 21 August 2032, 2,737 days after 22 February 2025 (1000).
  const dates: Record<string, [date: string, due: string]> = {
    'written then': ['Mon, 3 Dec 2007 09:30:15 -0300', '2007-12-31'],
    'written in the future, received then': ['Mon, 3 May 2032 09:30:15 -0300', '2007-12-31'],
  }
  for (const [name, [date, due]] of Object.entries(dates)) {
    const message = await parseMessage(invoiceMessage({ id: 'a@supplier.test', date }))
    const { extractions } = await extractMessage(message, { receivedAt })
    t.match(extractions[0]?.details, { due_date: due }, name)
  }
  const message = await parseMessage(invoiceMessage({ id: 'a@supplier.test', date: 'yesterday' }))
  const { extractions } = await extractMessage(message, { receivedAt: '2032-05-03T12:00:00.000Z' })
  t.match(extractions[0]?.details, { due_date: '2032-08-21' }, 'without a date, when it was received')
})

test('why a PDF was not read is noted, and the others are read all the same', async t => {
  const octets = 'application/octet-stream'
  const files = {
    'a.pdf': ['application/pdf', Buffer.from('not a PDF at all'), 'not_pdf'],
    'b.pdf': ['application/pdf', Buffer.from('%PDF-1.7 broken'), 'broken'],
    'c.pdf': ['application/pdf', makePdf({ pages: ['BT ET'], lock: 'password' }), 'encrypted'],
    'D.PDF': [octets, pdf('by its name'), 'read'],
    nameless: [octets, pdf('by what it begins with'), 'read'],
    'x.txt': ['text/plain', pdf('a text by its type'), null],
    'e.zip': [octets, Buffer.from('PK'), null],
    'f.pdf': ['application/pdf', boletoFile.content, 'read'],
  } as const
  const raw = invoiceMessage({
    id: 'a@supplier.test',
    files: Object.entries(files).map(([name, [type, content]]) => ({ name, type, content })),
  })
  const { extractions, readings } = await extractMessage(await parseMessage(raw), { receivedAt })
  t.same(
    readings,
    Object.values(files).map(([, , reading]) => reading),
  )
  t.match(extractions[0], { value: bankLine, found: { attachment_id: '7' } })
})

test('the PDFs of a message are read within bounds, the same one once', async t => {
  const read = async (texts: readonly string[], budget: Partial<typeof pdfBudget>) => {
    const files = texts.map(text => ({ name: 'x.pdf', type: 'application/pdf', content: pdf(text) }))
    const { attachments } = await parseMessage(invoiceMessage({ id: 'a@supplier.test', files }))
    return (await readPdfs(attachments, { ...pdfBudget, ...budget })).map(({ reading }) => reading)
  }
  t.same(await read(['one', 'two', 'one', 'three'], { maxFiles: 2 }), ['read', 'read', 'read', 'skipped'])
  t.same(await read(['one', 'two'], { maxBytes: pdf('one').length + 1 }), ['read', 'skipped'])
  t.same(await read(['twenty characters of', 'x'], { maxCharacters: 5 }), ['truncated', 'skipped'])
  t.same(await read(['one', 'two'], { timeoutMs: 0 }), ['skipped', 'skipped'])
})
