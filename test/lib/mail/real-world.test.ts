import { test } from 'tap'
import { extract } from '../../../lib/extract/extract.ts'
import { type ParsedMessage, parseMessage } from '../../../lib/mail/parse-message.ts'
import { toPackedMessages } from './support/make-tnef.ts'
import { toRaw } from './support/sample-message.ts'

/** The bytes of a text, one byte per character. */
const bytes = (text: string) => Buffer.from(text, 'latin1')

const flowed = (more: string, ...lines: string[]) =>
  toRaw(`Content-Type: text/plain; charset=utf-8; format=flowed${more}`, '', ...lines)

const texts: Record<string, [raw: Buffer, text: string]> = {
  'flowed lines, with stuffed spaces and a signature': [
    flowed('', 'one ', 'line', ' From here', ' > no quote', 'last ', '-- ', 'Ana'),
    'one line\nFrom here\n> no quote\nlast \n-- \nAna',
  ],
  'flowed quotes, each of its own depth': [
    flowed('', '>> deep ', '> middle ', '> goes on', '>no blank ', '>behind it', 'mine'),
    '>> deep \n> middle goes on\n> no blank behind it\nmine',
  ],
  'flowed in words without blanks, as DelSp says': [
    flowed('; DelSp=Yes', 'https://a.test/long ', '/path', '請求 ', '書'),
    'https://a.test/long/path\n請求書',
  ],
  'flowed, in base64 and Latin-1': [
    toRaw(
      'Content-Type: text/plain; charset=iso-8859-1; format="flowed"',
      'Content-Transfer-Encoding: base64',
      '',
      bytes('pagamento at\xe9 \r\nsexta\r\nfim').toString('base64'),
    ),
    'pagamento até sexta\nfim',
  ],
  'flowed that ends in the middle': [flowed('', 'one ', 'two '), 'one two'],
  'quoted-printable with soft breaks, also inside a character': [
    toRaw(
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'uma linha =',
      'longa e a=C3=',
      '=A7=C3=A3o; 100=25 =3D tudo',
    ),
    'uma linha longa e ação; 100% = tudo',
  ],
  'HTML in ISO-2022-JP and base64': [
    toRaw(
      'Content-Type: text/html; charset=iso-2022-jp',
      'Content-Transfer-Encoding: base64',
      '',
      bytes('<p>\x1b$B@A5a=q\x1b(B</p>').toString('base64'),
    ),
    '請求書',
  ],
  'HTML that alone names its charset, with entities': [
    toRaw(
      'Content-Type: text/html',
      '',
      bytes('<meta charset="iso-8859-1"><p>Cobran\xe7a &euro;&nbsp;5 &#8211; ok'),
    ),
    'Cobrança €\u00a05 – ok',
  ],
  'an unknown charset': [toRaw('Content-Type: text/plain; charset=klingon', '', 'plain'), 'plain'],
}

for (const [name, [raw, text]] of Object.entries(texts)) {
  test(`a text is read: ${name}`, async t => {
    t.equal((await parseMessage(raw)).text, text)
  })
}

test('a boleto that is wrapped by format=flowed is found', async t => {
  const { text } = await parseMessage(
    flowed('', 'Pague 00190.50095 40144.816069 ', '06809.350314 3 37370000000100'),
  )
  const found = extract([{ source: 'text', text: text ?? '' }], { messageDate: '2007-12-01T00:00:00Z' })
  t.match(found, [{ kind: 'boleto', value: '00190500954014481606906809350314337370000000100' }])
})

test('names of people are read in every charset, also with two in one header', async t => {
  const raw = toRaw(
    'From: =?windows-1252?Q?Jo=E3o_=96_Cobran=E7a?= <J@x.test>',
    'To: =?utf-8?B?Sm/Do28=?= =?utf-8?Q?_da_Silva?= <s@x.test>, =?iso-2022-jp?B?GyRCRnxLXBsoQg==?= <n@x.test>',
    'Subject: =?ISO-8859-1?q?=C1rea?= de =?UTF-8?B?Y29icmFuw6dh?=',
    '',
    'x',
  )
  t.match(await parseMessage(raw), {
    from: { address: 'j@x.test', name: 'João – Cobrança' },
    to: [
      { address: 's@x.test', name: 'João da Silva' },
      { address: 'n@x.test', name: '日本' },
    ],
    subject: 'Área de cobrança',
  })
})

test('multiparts inside multiparts are read to the leaves, each in its own charset', async t => {
  const quotedPrintable = 'Content-Transfer-Encoding: quoted-printable'
  const raw = toRaw(
    'Content-Type: multipart/mixed; boundary=a',
    '',
    '--a',
    'Content-Type: multipart/related; boundary=b',
    '',
    '--b',
    'Content-Type: multipart/alternative; boundary=c',
    '',
    '--c',
    'Content-Type: text/plain; charset=iso-8859-1',
    quotedPrintable,
    '',
    'S=E3o Paulo',
    '--c',
    'Content-Type: text/html; charset=windows-1252',
    quotedPrintable,
    '',
    '<p>S=E3o Paulo =80 5</p>',
    '--c--',
    '--b',
    'Content-Type: image/png; name="=?iso-8859-1?Q?logotipo_n=BA_1.png?="',
    'Content-ID: <logo>',
    '',
    'png',
    '--b--',
    '--a',
    'Content-Type: application/pdf',
    "Content-Disposition: attachment; filename*0*=iso-8859-1'pt'cobran%E7a%20;",
    ' filename*1*=de%20; filename*2=maio.pdf',
    '',
    'pdf',
    '--a',
    'Content-Type: text/plain',
    '',
    'added by the list',
    '--a--',
  )
  const message = await parseMessage(raw)
  t.equal(message.text, 'São Paulo\nadded by the list')
  t.match(message.html, /<p>São Paulo € 5<\/p>/)
  t.same(toFiles(message), [
    ['logotipo nº 1.png', 'image/png', 'inline', 'png'],
    ['cobrança de maio.pdf', 'application/pdf', 'attachment', 'pdf'],
  ])
})

test("Outlook's winmail.dat without anything in it is kept as it is, alone or behind a text", async t => {
  // MS-OXTNEF, section 2.1.3.1: the signature 0x223E9F78, then a key.
  const tnef = Buffer.from('789f3e220100', 'hex')
  const messages = toPackedMessages(tnef)
  const alone = await parseMessage(messages.alone)
  const behind = await parseMessage(messages.behind)
  t.equal(alone.text, null)
  t.equal(behind.text, 'hello')
  for (const { attachments } of [alone, behind]) {
    t.match(attachments, [{ filename: 'winmail.dat', contentType: 'application/ms-tnef', content: tnef }])
  }
})

test('an invitation is a file beside its text, in an alternative or by itself', async t => {
  const calendar = 'BEGIN:VCALENDAR\r\nSUMMARY:Reunião\r\nEND:VCALENDAR'
  const part = [
    'Content-Type: text/calendar; method=REQUEST; charset=utf-8; name=invite.ics',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(calendar).toString('base64'),
  ]
  const invitation = await parseMessage(
    toRaw('Content-Type: multipart/alternative; boundary=b', '', '--b', '', 'Come', '--b', ...part, '--b--'),
  )
  t.equal(invitation.text, 'Come')
  for (const message of [invitation, await parseMessage(toRaw(...part))]) {
    t.same(toFiles(message), [['invite.ics', 'text/calendar', 'attachment', bytesOf(calendar)]])
  }
})

test('enormous headers are read as long as they are within bounds, and refused beyond', async t => {
  const filler = (kilobytes: number) => `X-Filler: ${`${'x'.repeat(1_000)}\r\n `.repeat(kilobytes)}end`
  const read = await parseMessage(toRaw('Subject: still', filler(200), 'From: a@b.test', '', 'text'))
  t.match(read, { subject: 'still', from: { address: 'a@b.test' }, text: 'text', sentAt: null })
  const received = Array.from({ length: 300 }, (_, hop) => `Received: from mx${hop}.test by mx.test`)
  t.equal((await parseMessage(toRaw(...received, 'Subject: far', '', 'x'))).subject, 'far')
  await t.rejects(parseMessage(toRaw(filler(300), '', 'x')), { code: 'headers_too_large' })
})

function toFiles({ attachments }: ParsedMessage) {
  return attachments.map(({ filename, contentType, disposition, content }) => [
    filename,
    contentType,
    disposition,
    content.toString('latin1'),
  ])
}

function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1')
}
