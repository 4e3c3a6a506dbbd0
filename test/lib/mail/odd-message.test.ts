import { test } from 'tap'
import { parseDate } from '../../../lib/mail/parse-date.ts'
import { parseMessage } from '../../../lib/mail/parse-message.ts'
import { readMessageId } from '../../../lib/mail/read-message-id.ts'
import { toRaw } from './support/sample-message.ts'

const part = ['Content-Type: text/plain', '', 'the text']

const structures: Record<string, Buffer> = {
  'a boundary that is never closed': toRaw('Content-Type: multipart/mixed; boundary=b', '', '--b', ...part),
  'a boundary other than the header says': toRaw(
    'Content-Type: multipart/mixed; boundary=other',
    '',
    '--real',
    ...part,
    '--real--',
  ),
  'a multipart without a boundary': toRaw('Content-Type: multipart/mixed', '', '--b', ...part, '--b--'),
  'a boundary with blanks behind it': toRaw(
    'Content-Type: multipart/mixed; boundary="b"',
    '',
    'preamble',
    '--b  \t',
    ...part,
    '--b--   ',
    'epilogue',
  ),
  'a boundary that begins like another': toRaw(
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: multipart/alternative; boundary=bb',
    '',
    '--bb',
    ...part,
    '--bb--',
    '--b--',
  ),
  'a boundary in quotes, folded, with odd characters': toRaw(
    'Content-Type: multipart/mixed;',
    ' charset=utf-8;',
    '\tBOUNDARY="=_(a)/b:c?d=e \'f"',
    '',
    "--=_(a)/b:c?d=e 'f",
    ...part,
    "--=_(a)/b:c?d=e 'f--",
  ),
  'an inner multipart that only the outer one ends': toRaw(
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: multipart/alternative; boundary=inner',
    '',
    '--inner',
    ...part,
    '--b--',
  ),
  'line feeds only': Buffer.from(
    `Content-Type: multipart/mixed; boundary=b\n\n--b\n${part.join('\n')}\n--b--\n`,
  ),
  'a part without headers': toRaw(
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    '',
    'the text',
    '--b--',
  ),
  'no header at all': toRaw('', 'the text'),
  'a multipart without any part': toRaw('Content-Type: multipart/mixed', '', 'the text'),
  'blanks before the first field': toRaw(' Content-Type: text/html', 'Subject: x', '', 'the text'),
}

for (const [name, raw] of Object.entries(structures)) {
  test(`what is broken is read as far as it goes: ${name}`, async t => {
    const { text, attachments } = await parseMessage(raw)
    t.equal(text, 'the text')
    t.same(attachments, [])
  })
}

test('a message of nothing but a header has no text', async t => {
  const message = await parseMessage(Buffer.from('Subject: only this\r\nFrom: a@b.test'))
  t.match(message, {
    subject: 'only this',
    from: { address: 'a@b.test' },
    text: null,
    html: null,
    sentAt: null,
  })
})

test('what the database cannot hold does not reach it', async t => {
  const raw = toRaw('Subject: a\u0000b', 'From: "x\u0000y" <a@b.test>', '', 'one\u0000two')
  const message = await parseMessage(raw)
  t.match(message, { subject: 'a b', text: 'onetwo' })
  t.notOk(JSON.stringify(message).includes('\\u0000'))
})

test('long fields are cut between characters, long lists behind 500 people', async t => {
  const people = Array.from({ length: 600 }, (_, index) => `p${index}@x.test`).join(',\r\n ')
  const raw = toRaw(`Subject: ${'é'.repeat(2_000)}`, `To: ${people}`, '', 'x')
  const { subject, to } = await parseMessage(raw)
  t.equal(subject, 'é'.repeat(1_000))
  t.equal(to.length, 500)
})

test('a sender that is no address is none', async t => {
  for (const from of ['undisclosed-recipients:;', 'nobody', '<>', '""']) {
    t.equal((await parseMessage(toRaw(`From: ${from}`, '', 'x'))).from, null, from)
  }
})

const dates: Record<string, string | null> = {
  'Tue, 10 Mar 2026 09:30:15 -0300': '2026-03-10T12:30:15.000Z',
  '10 Mar 2026 09:30 GMT': '2026-03-10T09:30:00.000Z',
  'Tue, 10 Mar 26 09:30:15 +0000 (UTC)': '2026-03-10T09:30:15.000Z',
  'Tue, 10 Mar 2026 09:30:15 EST': '2026-03-10T14:30:15.000Z',
  '10 Mar 2026 09:30:15': '2026-03-10T09:30:15.000Z',
  '2026-03-10T09:30:15Z': '2026-03-10T09:30:15.000Z',
  'Tue, 99 Mar 2026 09:30:15 +0000': null,
  yesterday: null,
  '13': null,
  '': null,
  '1 Jan 275760 00:00:00 +0000': null,
}

for (const [value, expected] of Object.entries(dates)) {
  test(`the date "${value}" is ${expected}`, async t => {
    t.equal(parseDate(value), expected)
  })
}

const ids: Record<string, [header: string, id: string | null]> = {
  'as usual': ['Message-ID: <a.b@c.test>', 'a.b@c.test'],
  'in other letters, folded': ['MESSAGE-Id:\r\n\t<a@c.test>', 'a@c.test'],
  'without brackets': ['Message-ID: a@c.test', 'a@c.test'],
  'the first of two': ['Message-ID: <a@c.test>\r\nMessage-ID: <b@c.test>', 'a@c.test'],
  'of another field': ['X-Message-ID: <a@c.test>', null],
  'of a resent message': ['Resent-Message-ID: <a@c.test>', null],
  'too long to be one': [`Message-ID: <${'a'.repeat(999)}@c.test>`, null],
  'with control characters': ['Message-ID: <a\u0000b@c.test>', null],
  empty: ['Message-ID: <>', null],
}

for (const [name, [header, id]] of Object.entries(ids)) {
  test(`the message id is read from the header: ${name}`, async t => {
    for (const end of ['\r\n', '\n']) {
      const raw = Buffer.from(
        `Subject: x\r\n${header}\r\n\r\nMessage-ID: <body@c.test>`.replaceAll('\r\n', end),
      )
      t.equal(readMessageId(raw), id)
    }
  })
}
