import { deflateSync } from 'node:zlib'
import { test } from 'tap'
import { extract } from '../../../lib/extract/extract.ts'
import { extractPdfText } from '../../../lib/extract/pdf-text.ts'
import { makePdf, toContent } from './fixtures/make-pdf.ts'

const BOLETO = '00190.50095 40144.816069 06809.350314 3 37370000000100'
const PAGE = toContent(['Recibo do pagador', BOLETO, 'Vencimento 31/12/2007', 'Valor R$ 1,00'])

test('the text of every page is read, and a boleto in it is extracted', async t => {
  const pdf = await extractPdfText(makePdf({ pages: [PAGE, toContent(['CNPJ 33.000.167/0001-01'])] }))
  t.match(pdf, { ok: true, pages: 2, truncated: false })
  if (!pdf.ok) return
  t.equal(
    pdf.text,
    `Recibo do pagador\n${BOLETO}\nVencimento 31/12/2007\nValor R$ 1,00\fCNPJ 33.000.167/0001-01`,
  )
  const source = { source: 'attachment', attachment_id: 'att_1', text: pdf.text } as const
  const found = extract([source], { messageDate: '2007-12-01T00:00:00Z' })
  t.match(found, [
    {
      kind: 'boleto',
      details: { amount: '1.00', due_date: '2007-12-31' },
      found: { attachment_id: 'att_1' },
    },
    { kind: 'cnpj', value: '33000167000101' },
    { kind: 'amount', value: 'BRL 1.00' },
    { kind: 'date', value: '2007-12-31' },
  ])
})

test('pages and characters beyond the bounds are left out and said to be', async t => {
  const pages = Array.from({ length: 5 }, (_, i) => toContent([`page ${i + 1}`]))
  const first = await extractPdfText(makePdf({ pages }), { maxPages: 2 })
  t.strictSame(first, { ok: true, text: 'page 1\fpage 2', pages: 5, truncated: true })
  const short = await extractPdfText(makePdf({ pages }), { maxCharacters: 10 })
  t.strictSame(short, { ok: true, text: 'page 1\fpag', pages: 5, truncated: true })
})

test('a PDF that asks for a password says so; one that only forbids printing is read', async t => {
  const locked = await extractPdfText(makePdf({ pages: [PAGE], lock: 'password' }))
  t.strictSame(locked, { ok: false, reason: 'encrypted' })
  const open = await extractPdfText(makePdf({ pages: [PAGE], lock: 'owner_only' }))
  t.match(open, { ok: true, text: /00190\.50095/ })
})

test('what is no PDF, or a broken one, gives a reason', async t => {
  t.strictSame(await extractPdfText(Buffer.from('hello')), { ok: false, reason: 'not_pdf' })
  t.strictSame(await extractPdfText(new Uint8Array()), { ok: false, reason: 'not_pdf' })
  t.strictSame(await extractPdfText(Buffer.from('%PDF-1.7\nnothing')), { ok: false, reason: 'broken' })
  const pdf = makePdf({ pages: [PAGE] })
  t.strictSame(await extractPdfText(pdf, { maxBytes: pdf.length - 1 }), { ok: false, reason: 'too_large' })
  t.match(await extractPdfText(pdf.subarray(0, 60)), { ok: false, reason: 'broken' })
})

test('a PDF with a footer before it and a wrong table of objects, as gateways leave it, is read all the same', async t => {
  const shifted = Buffer.concat([Buffer.from('checked by the gateway\r\n'), makePdf({ pages: [PAGE] })])
  t.match(await extractPdfText(shifted), { ok: true, text: /00190\.50095/ })
})

test('a PDF that takes too long is given up, and the next one is read', async t => {
  const endless = makePdf({ pages: [`BT /F1 12 Tf ${'(a) Tj 0 -1 Td '.repeat(2_000_000)} ET`] })
  const started = Date.now()
  const [slow, next] = await Promise.all([
    extractPdfText(endless, { timeoutMs: 1000, maxMemory: 4096 }),
    extractPdfText(makePdf({ pages: [PAGE] }), { timeoutMs: 30_000 }),
  ])
  t.strictSame(slow, { ok: false, reason: 'timeout' })
  t.match(next, { ok: true })
  t.ok(Date.now() - started < 40_000)
})

test('a PDF that unpacks to hundreds of megabytes is given up before it has', async t => {
  const bomb = deflateSync(Buffer.alloc(250_000_000, ' '), { level: 1 })
  const pdf = makePdf({ pages: [bomb] })
  t.ok(pdf.length < 10_000_000, `${pdf.length} bytes`)
  t.strictSame(await extractPdfText(pdf, { maxMemory: 64, timeoutMs: 60_000 }), {
    ok: false,
    reason: 'memory',
  })
})

test('the bytes given stay as they were', async t => {
  const pdf = new Uint8Array(makePdf({ pages: [PAGE] }))
  const copy = new Uint8Array(pdf)
  await extractPdfText(pdf)
  t.equal(pdf.length, copy.length)
  t.ok(Buffer.from(pdf).equals(Buffer.from(copy)))
})
