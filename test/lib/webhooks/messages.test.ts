import { Webhook } from 'standardwebhooks'
import { test } from 'tap'
import { defaultSchedule, parseRetryAfter, toNextAttempt } from '../../../lib/webhooks/schedule.ts'
import { createSecret } from '../../../lib/webhooks/secret.ts'
import { signMessage } from '../../../lib/webhooks/sign-message.ts'
import { toExcerpt } from '../../../lib/webhooks/to-excerpt.ts'

const message = {
  id: 'evt_1',
  timestamp: Math.floor(Date.now() / 1_000),
  body: '{"type":"email.processed","ç":1}',
}

test('signatures are those of Standard Webhooks', async t => {
  const secret = createSecret()
  const headers = signMessage(message, [secret])

  await t.test('and are refused for another secret, id, time or body', async t => {
    const verify = (secret: string, more = {}, body = message.body) =>
      new Webhook(secret).verify(body, { ...headers, ...more })
    t.throws(() => verify(createSecret()))
    t.throws(() => verify(secret, { 'webhook-id': 'evt_2' }))
    t.throws(() => verify(secret, { 'webhook-timestamp': String(message.timestamp + 1) }))
    t.throws(() => verify(secret, {}, `${message.body} `))
    t.same(verify(secret), JSON.parse(message.body))
  })

  await t.test('one for each secret, of which a receiver needs any', async t => {
    const old = createSecret()
    const both = signMessage(message, [secret, old])
    t.equal(both['webhook-signature']?.split(' ').length, 2)
    for (const known of [secret, old]) t.ok(new Webhook(known).verify(message.body, both))
    t.throws(() => new Webhook(createSecret()).verify(message.body, both))
  })

  await t.test('with secrets of 256 random bits', async t => {
    t.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    t.not(createSecret(), secret)
  })
})

test('retries', async t => {
  const failed = (attempt: number, retryAfter: number | null = null) => ({ attempt, retryAfter })

  await t.test('end after the last', async t => {
    t.equal(toNextAttempt(defaultSchedule, failed(defaultSchedule.retryAfter.length + 1)), null)
    t.equal(toNextAttempt(defaultSchedule, failed(1_000, 60)), null, 'whatever the receiver asks for')
  })

  await t.test('wait longer each time, with some chance in it, over more than a day', async t => {
    const waits = defaultSchedule.retryAfter.map((_, index) =>
      toNextAttempt(defaultSchedule, failed(index + 1), () => 0),
    )
    t.same(waits, defaultSchedule.retryAfter)
    t.same(
      [...waits].sort((a, b) => Number(a) - Number(b)),
      waits,
    )
    t.ok(waits.reduce((sum: number, wait) => sum + Number(wait), 0) > 24 * 3_600)
    t.equal(
      toNextAttempt(defaultSchedule, failed(2), () => 1),
      72,
    )
  })

  await t.test('wait as long as the receiver asks, within bounds, and never less than planned', async t => {
    const wait = (retryAfter: number) => toNextAttempt(defaultSchedule, failed(2, retryAfter), () => 0)
    t.same([wait(0), wait(59), wait(600), wait(10 ** 9)], [60, 60, 600, defaultSchedule.longestWait])
  })

  await t.test('read Retry-After as a number of seconds or a date', async t => {
    const now = Date.parse('2026-01-01T00:00:00Z')
    for (const wrong of [undefined, '', 'soon', '-1', '1.5e3x'])
      t.equal(parseRetryAfter(wrong, now), null, String(wrong))
    t.equal(parseRetryAfter('120', now), 120)
    t.equal(parseRetryAfter('Thu, 01 Jan 2026 00:01:00 GMT', now), 60)
    t.equal(parseRetryAfter('Wed, 31 Dec 2025 00:00:00 GMT', now), 0)
  })
})

test('what is kept of an answer can be shown anywhere', t => {
  t.equal(toExcerpt(Buffer.from(' \n')), null)
  t.equal(toExcerpt(Buffer.from('a\u0000b\u001b[2J\u202ec\td\ne')), 'a\uFFFDb\uFFFD[2J\uFFFDc\td\ne')
  t.equal(toExcerpt(Buffer.from([0xff, 0xfe, 0x41])), '\uFFFD\uFFFDA')
  const long = toExcerpt(Buffer.from('é'.repeat(2_000))) ?? ''
  t.ok(Buffer.byteLength(long) <= 1_024 && /^é+$/.test(long), 'cut between characters')
  t.end()
})
