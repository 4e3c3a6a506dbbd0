import { test } from 'tap'
import { messageLimits, parseMessage, UnreadableMessage } from '../../../lib/mail/parse-message.ts'

const megabyte = 1_048_576
// What these cost without the bounds is minutes or gigabytes; the rest is room for a busy machine.
const seconds = 20
const megabytes = 700

const mixed = 'Content-Type: multipart/mixed; boundary=b\n\n'
const html = 'Content-Type: text/html\n\n'
const file = 'Content-Type: application/octet-stream\n'
const flowed = 'Content-Type: text/plain; format=flowed\n\n'

/** What each of them tries, how it is made, and the code of its refusal; null where it is read. */
const attacks: Record<string, [make: () => string, code: string | null]> = {
  '10,000 multiparts inside each other': [() => toNested(10_000), 'nested_too_deep'],
  '21 multiparts inside each other': [() => toNested(21), 'nested_too_deep'],
  '20 multiparts inside each other': [() => toNested(20), null],
  'a million headers': [() => `${'a:\n'.repeat(1_000_000)}\nx`, 'too_many_headers'],
  'a header of 20 MB': [() => `Subject: ${'x'.repeat(20 * megabyte)}\n\nx`, 'headers_too_large'],
  'headers of 20 MB in 1,000 parts': [
    () => `${mixed}${`--b\nX: ${'x'.repeat(20_000)}\n\nx\n`.repeat(1_000)}--b--`,
    'headers_too_large',
  ],
  'five million empty parts': [() => `${mixed}${'--b\n'.repeat(5_000_000)}`, 'too_many_parts'],
  '1,001 parts': [() => `${mixed}${'--b\n\nx\n'.repeat(1_001)}--b--`, 'too_many_parts'],
  '251 files': [() => `${mixed}${`--b\n${file}\nx\n`.repeat(251)}--b--`, 'too_many_attachments'],
  '900 quoted-printable texts': [
    () => `${mixed}${'--b\nContent-Transfer-Encoding: quoted-printable\n\nx\n'.repeat(900)}--b--`,
    null,
  ],
  'eight million lines that look like boundaries': [() => `${mixed}${'--\n'.repeat(8_000_000)}--b--`, null],
  'a text of 5 MB in line breaks': [() => `Subject: x\n\n${'\n'.repeat(5 * megabyte - 100)}`, null],
  'a flowed text of 5 MB in line breaks': [() => `${flowed}${'\n'.repeat(5 * megabyte - 100)}`, null],
  'a flowed text of 5 MB that never ends its line': [() => `${flowed}${'> \n'.repeat(1_700_000)}`, null],
  'a flowed text of nothing but quotes': [() => `${flowed}${'>'.repeat(5 * megabyte - 100)}`, null],
  'a text of 25 MB': [() => `Subject: x\n\n${'text\n'.repeat(5 * megabyte - 100)}`, 'text_too_large'],
  'a file of 25 MB in line breaks': [() => `${file}\n${'\n'.repeat(25 * megabyte - 100)}`, null],
  'base64 that ends twelve million times': [
    () => `${file}Content-Transfer-Encoding: base64\n\n${'A='.repeat(12 * megabyte)}`,
    'broken_encoding',
  ],
  'base64 of 24 MB in one line': [
    () => `${file}Content-Transfer-Encoding: base64\n\n${'A'.repeat(24 * megabyte)}`,
    null,
  ],
  'quoted-printable that never breaks its line': [
    () => `${file}Content-Transfer-Encoding: quoted-printable\n\n${`=${' '.repeat(998)}`.repeat(25_000)}`,
    null,
  ],
  'HTML of a million nested elements': [() => `${html}${'<b>'.repeat(1_000_000)}`, 'nested_too_deep'],
  'HTML of a million elements in a row': [() => `${html}${'<b></b>'.repeat(700_000)}`, 'text_too_large'],
  'an HTML table of 300,000 rows': [() => `${html}<table>${'<tr><td>a'.repeat(300_000)}`, 'text_too_large'],
  'HTML that begins a million comments': [() => `${html}${'<!--'.repeat(1_000_000)}`, null],
  'HTML of nothing but entities': [() => `${html}${'&amp;'.repeat(1_000_000)}`, null],
  '60,000 recipients': [() => `To: ${'a@b,'.repeat(60_000)}\n\nx`, null],
  '80,000 groups of recipients inside each other': [() => `To: ${'g:'.repeat(80_000)}\n\nx`, null],
  '100,000 parameters': [() => `Content-Type: text/plain${'; a'.repeat(80_000)}\n\nx`, null],
  'a name in 10,000 pieces': [
    () => `${file.trim()}${Array.from({ length: 10_000 }, (_, n) => `; name*${n}*=%41`).join('')}\n\nx`,
    null,
  ],
  'a hundred thousand open comments': [
    () => `From: ${'('.repeat(100_000)}\nDate: ${'('.repeat(100_000)}\n\nx`,
    null,
  ],
  'a message id of nothing but brackets': [() => `Message-ID: ${'<'.repeat(200_000)}\n\nx`, null],
}

for (const [name, [make, code]] of Object.entries(attacks)) {
  test(`${code ? 'is refused in time' : 'is read in time'}: ${name}`, { timeout: 90_000 }, async t => {
    const raw = Buffer.from(make(), 'latin1')
    const memory = process.memoryUsage().rss
    const began = performance.now()
    const outcome = await parseMessage(raw).catch(error => error)
    const took = (performance.now() - began) / 1_000
    const grew = (process.memoryUsage().rss - memory) / megabyte

    t.ok(took < seconds, `it took ${took.toFixed(1)} s`)
    t.ok(grew < megabytes, `it took ${grew.toFixed(0)} MB`)
    if (code === null) return t.notOk(outcome instanceof Error, 'it is read')
    t.ok(outcome instanceof UnreadableMessage)
    t.equal(outcome.code, code)
    t.match(outcome.reason, /Ask the sender .+\.$/, 'the reason says what to do')
  })
}

test('a message is as large as the limits say, and no larger', async t => {
  const limits = { ...messageLimits, maxBytes: 1_024 }
  const fits = Buffer.alloc(1_024, 'Subject: x\n')
  t.equal((await parseMessage(fits, limits)).subject, 'x')
  const reason = 'The message is larger than 1 KB. Ask the sender to send a link to the files instead.'
  await t.rejects(parseMessage(Buffer.concat([fits, Buffer.from('x')]), limits), {
    code: 'message_too_large',
    reason,
  })
  await t.rejects(parseMessage(Buffer.alloc(0)), { code: 'message_empty' })
})

test('what a sender writes never stands for a part of the message', async t => {
  const raw = Buffer.from(`${mixed}--b\n${file}\nsecret\n--b\n\n000000000000000000000000:0\n--b--`)
  const { text, attachments } = await parseMessage(raw)
  t.equal(text, '000000000000000000000000:0')
  t.match(attachments, [{ content: Buffer.from('secret') }])
})

function toNested(depth: number): string {
  return Array.from(
    { length: depth },
    (_, level) => `Content-Type: multipart/mixed; boundary=b${level}\n\n--b${level}\n`,
  ).join('')
}
