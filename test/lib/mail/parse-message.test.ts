import { createHash } from 'node:crypto'
import { test } from 'tap'
import { parseMessage } from '../../../lib/mail/parse-message.ts'
import { sampleMessage, toRaw } from './support/sample-message.ts'

test('a message is read with its people, its time, its texts and its files', async t => {
  const pdf = Buffer.from('%PDF-1.7 not really')
  const message = await parseMessage(sampleMessage('a1@supplier.test'))
  t.same(message, {
    messageId: 'a1@supplier.test',
    subject: 'Fatura de março',
    from: { address: 'carla@supplier.test', name: 'Carla Souza' },
    to: [
      { address: 'invoices@acme.test', name: 'Invoices' },
      { address: 'rui@acme.test', name: 'Silva, Rui' },
    ],
    cc: [
      { address: 'ana@acme.test', name: null },
      { address: 'bia@acme.test', name: null },
    ],
    sentAt: '2026-03-10T12:30:15.000Z',
    text: 'Olá, segue a fatura.',
    html: '<p>Olá, segue a <b>fatura</b>.</p>',
    attachments: [
      {
        filename: 'fatura.pdf',
        contentType: 'application/pdf',
        contentId: null,
        disposition: 'attachment',
        sha256: createHash('sha256').update(pdf).digest('hex'),
        content: pdf,
      },
      {
        filename: 'itens.csv',
        contentType: 'text/csv',
        contentId: null,
        disposition: 'attachment',
        sha256: createHash('sha256').update('item;valor').digest('hex'),
        content: Buffer.from('item;valor'),
      },
    ],
  })
})

/** The bytes of a text, one byte per character. */
const bytes = (text: string) => Buffer.from(text, 'latin1')

const charsets: Record<string, { raw: Buffer; subject: string; text: string }> = {
  'ISO-8859-1, as it is': {
    raw: toRaw(
      'Subject: =?iso-8859-1?Q?Cobran=E7a_n=BA_3?=',
      'Content-Type: text/plain; charset=ISO-8859-1',
      'Content-Transfer-Encoding: 8bit',
      '',
      bytes('Pagamento at\xe9 sexta, por favor. N\xe3o h\xe1 juros.'),
    ),
    subject: 'Cobrança nº 3',
    text: 'Pagamento até sexta, por favor. Não há juros.',
  },
  'Windows-1252, in base64': {
    raw: toRaw(
      'Subject: =?windows-1252?B?k1RvdGFslCCAIDUw?=',
      'Content-Type: text/plain; charset="windows-1252"',
      'Content-Transfer-Encoding: base64',
      '',
      bytes('\x93Total\x94 \x80 50 \x96 \xe0 vista').toString('base64'),
    ),
    subject: '“Total” € 50',
    text: '“Total” € 50 – à vista',
  },
  'ISO-2022-JP, in seven bits': {
    raw: toRaw(
      'Subject: =?ISO-2022-JP?B?GyRCRnxLXDhsGyhC?=',
      'Content-Type: text/plain; charset=ISO-2022-JP',
      'Content-Transfer-Encoding: 7bit',
      '',
      bytes('\x1b$BF|K\\8l\x1b(B OK'),
    ),
    subject: '日本語',
    text: '日本語 OK',
  },
  'Latin letters without a charset, in header and text': {
    raw: toRaw(bytes('Subject: Informa\xe7\xe3o'), '', bytes('Vers\xe3o \x96 revis\xe3o')),
    subject: 'Informação',
    text: 'Versão – revisão',
  },
  'UTF-8 that is none': {
    raw: toRaw('Subject: x', 'Content-Type: text/plain; charset=utf-8', '', bytes('J\xe1 pago')),
    subject: 'x',
    text: 'Já pago',
  },
  'a character split between two encoded words': {
    raw: toRaw('Subject: =?utf-8?Q?=E2=82?= =?utf-8?Q?=AC_5?=', '', 'x'),
    subject: '€ 5',
    text: 'x',
  },
}

for (const [name, { raw, subject, text }] of Object.entries(charsets)) {
  test(`the charset is understood: ${name}`, async t => {
    t.match(await parseMessage(raw), { subject, text })
  })
}

const names: Record<string, { field: string; filename: string | null }> = {
  'RFC 2231, in pieces': {
    field: 'filename*0*=utf-8\'\'relat%C3%B3; filename*1*=rio%20de; filename*2=" maio.pdf"',
    filename: 'relatório de maio.pdf',
  },
  'RFC 2231, in Latin-1': { field: "filename*=iso-8859-1'pt'cobran%E7a.pdf", filename: 'cobrança.pdf' },
  'RFC 2047, where it does not belong': {
    field: 'filename="=?utf-8?Q?cobran=C3=A7a.pdf?="',
    filename: 'cobrança.pdf',
  },
  'a path': { field: 'filename="../../etc/passwd"', filename: 'passwd' },
  "a path of Windows'": { field: 'filename="C:\\\\Users\\\\x\\\\nota.pdf"', filename: 'nota.pdf' },
  'control characters': { field: 'filename="a\u0000b\u0007c.pdf"', filename: 'a b c.pdf' },
  nothing: { field: 'size=1', filename: null },
}

for (const [name, { field, filename }] of Object.entries(names)) {
  test(`the name of a file is read: ${name}`, async t => {
    const raw = toRaw(
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: application/pdf',
      `Content-Disposition: attachment; ${field}`,
      '',
      'x',
      '--b--',
    )
    t.equal((await parseMessage(raw)).attachments[0]?.filename, filename)
  })
}

test('the content of a file is what was sent, byte for byte', async t => {
  const content = Buffer.from([0, 13, 10, 13, 61, 255, 10, 10, 0])
  const padded = [content.subarray(0, 4), content.subarray(4)].map(piece => piece.toString('base64'))
  const bodies: Record<string, [encoding: string, body: string | Buffer]> = {
    base64: ['base64', content.toString('base64')],
    'base64, padded in every line': ['BASE64', padded.join('\r\n')],
    'quoted-printable': ['quoted-printable', '=00=0D=0A=0D=3D=FF=\r\n=0A=0A=00'],
    binary: ['binary', content],
  }
  for (const [name, [encoding, body]] of Object.entries(bodies)) {
    const raw = toRaw(
      'Content-Type: application/octet-stream; name=x.bin',
      `Content-Transfer-Encoding: ${encoding}`,
      '',
      body,
    )
    const expected = encoding === 'binary' ? Buffer.concat([content, Buffer.from('\r\n')]) : content
    const [file] = (await parseMessage(raw)).attachments
    t.same(file?.content.subarray(0, expected.length), expected, name)
    t.equal(
      file?.sha256,
      createHash('sha256')
        .update(file?.content ?? '')
        .digest('hex'),
    )
  }
})

test('flowed text is put together again', async t => {
  const raw = toRaw('Content-Type: text/plain; format=flowed', '', 'one ', 'line', 'and ', 'another')
  t.equal((await parseMessage(raw)).text, 'one line\nand another')
})

test('without a plain text, the text is made from the HTML', async t => {
  const html =
    '<style>p{}</style><h1>Aviso</h1><p>Total:&nbsp;<b>R$ 10</b> <a href="https://x.test/y">ver</a></p>'
  const table = '<table><tr><td>Item</td><td>Valor</td></tr><tr><td>A</td><td>5</td></tr></table>'
  const raw = toRaw('Content-Type: text/html', '', `<html><body>${html}${table}</body></html>`)
  const { text } = await parseMessage(raw)
  t.equal(text, 'Aviso\n\nTotal:\u00a0R$ 10 ver [https://x.test/y]\n\nItem Valor \nA 5')
})

test('a forwarded message and a calendar entry are files', async t => {
  const inner = toRaw('Subject: inner', '', 'inner text')
  const raw = toRaw(
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    '',
    'outer text',
    '--b',
    'Content-Type: message/rfc822',
    '',
    inner,
    '--b',
    'Content-Type: text/calendar; method=REQUEST',
    '',
    'BEGIN:VCALENDAR',
    '--b--',
  )
  const { text, attachments } = await parseMessage(raw)
  t.equal(text, 'outer text')
  t.match(attachments, [
    { contentType: 'message/rfc822', content: inner },
    { contentType: 'text/calendar', content: Buffer.from('BEGIN:VCALENDAR') },
  ])
})

test('a picture in the HTML is an inline file with its content id', async t => {
  const raw = toRaw(
    'Content-Type: multipart/related; boundary=b',
    '',
    '--b',
    'Content-Type: text/html',
    '',
    '<img src="cid:logo@x">',
    '--b',
    'Content-Type: image/png',
    'Content-ID: <logo@x>',
    'Content-Transfer-Encoding: base64',
    '',
    'iVBORw0=',
    '--b--',
  )
  t.match((await parseMessage(raw)).attachments, [{ contentId: 'logo@x', disposition: 'inline' }])
})
