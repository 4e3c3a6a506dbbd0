import tap, { test } from 'tap'
import { toJson } from '../../../lib/database/to-json.ts'
import type { EmailJob } from '../../../lib/jobs/queues.ts'
import { cleanLine, cleanText } from '../../../lib/mail/clean-text.ts'
import { ingestMessage } from '../../../lib/mail/ingest-message.ts'
import { giveUpOnEmail, processEmail } from '../../../lib/mail/process-email.ts'
import { insertEvent } from '../../../lib/webhooks/publish-event.ts'
import { startJobs } from '../jobs/support/start-jobs.ts'
import { addInbox } from './support/add-inbox.ts'
import { toRaw } from './support/sample-message.ts'

const { database, people } = await startJobs(tap)
const tenant = people.billing
const inboxId = await addInbox(database, tenant)

test('a cleaned text has whole characters only', t => {
  t.equal(cleanText('a\ud83d\0\r\nb\ude00😀'), 'a\nb😀')
  t.equal(cleanLine('\ude00a\ud83d 😀\ud83d', 10), 'a 😀')
  t.equal(cleanLine('\ud83d', 10), null)
  t.equal(cleanLine('😀'.repeat(11), 10), '😀'.repeat(10))
  for (let blanks = 0; blanks < 50; blanks++) {
    const line = cleanLine(`a${'\u0001'.repeat(blanks)}😀b`, 10)
    t.equal(line?.isWellFormed(), true, `${blanks} blanks`)
  }
  t.equal(cleanLine(`a${'\u0001'.repeat(37)}😀b`, 10), 'a 😀', 'the cut is behind the character')
  t.equal(cleanLine(`a${'\u0001'.repeat(38)}😀b`, 10), 'a', 'the cut is in the character')
  t.end()
})

test('a message whose header is cut in the middle of a character is read', async t => {
  const job = await take(messageOf())
  await processEmail(database, job)
  t.match(await readEmail(job), {
    status: 'processed',
    failure_code: null,
    from_address: 'from@x.test',
    from_name: /^F$/,
    to: [{ address: 'to@x.test', name: /^T$/ }],
    cc: [{ address: 'cc@x.test', name: /^C$/ }],
    subject: /^S$/,
  })
  const { rows } = await database.pool.query('select data from events where email_id = $1', [job.emailId])
  t.match(rows, [{ data: { subject: /^S$/, from: { address: 'from@x.test', name: /^F$/ } } }])
})

test('an e-mail that is given up before it was read has what its header says', async t => {
  const job = await take(messageOf())
  await giveUpOnEmail(database, job, 6)
  t.match(await readEmail(job), {
    status: 'failed',
    failure_code: 'processing_failed',
    from_address: 'from@x.test',
    from_name: /^F$/,
    to: [{ address: 'to@x.test', name: /^T$/ }],
    cc: [{ address: 'cc@x.test', name: /^C$/ }],
    subject: /^S$/,
    sent_at: '2026-03-10T12:30:15.000Z',
    finds: true,
  })
  const bare = await take(Buffer.from('no header'))
  await giveUpOnEmail(database, bare, 6)
  t.match(await readEmail(bare), { status: 'failed', from_address: null, to: [], subject: null })
})

test('an e-mail that is given up keeps the words of an earlier reading', async t => {
  const job = await take(messageOf())
  await database.pool.query(
    `update emails set text_search = array_to_tsvector(array['earlier']) where id = $1`,
    [job.emailId],
  )
  await giveUpOnEmail(database, job, 6)
  t.match(await readEmail(job), { from_address: 'from@x.test', text_search: "'earlier'" })
})

test('JSON is written as the database takes it, whatever stands in it', async t => {
  t.equal(toJson({ a: ['\ud83d', 'b\0c', '😀', 1, null] }), '{"a":["\ufffd","bc","😀",1,null]}')
  const id = await database.inTenant(tenant, trx =>
    insertEvent(trx, tenant, { type: 'webhook.test', key: 'half', data: { text: 'a\ude00\0' } }),
  )
  const { rows } = await database.pool.query('select data from events where id = $1', [id])
  t.same(rows, [{ data: { text: 'a\ufffd' } }])
})

/** Subject and names such that the bounds on their length fall between the halves of a character. */
function messageOf(): Buffer {
  // Encoded, because the parser takes control characters out of names that are not.
  const name = (letter: string) =>
    `=?utf-8?B?${Buffer.from(`${letter}${'\u0001'.repeat(998)}😀abc`).toString('base64')}?=`
  return toRaw(
    `From: ${name('F')} <from@x.test>`,
    `To: ${name('T')} <to@x.test>`,
    `Cc: ${name('C')} <cc@x.test>`,
    `Subject: S${'\u0001'.repeat(3_998)}😀abc`,
    'Date: Tue, 10 Mar 2026 09:30:15 -0300',
    '',
    'text',
  )
}

async function take(raw: Buffer): Promise<EmailJob> {
  const { emailId, operationId } = await database.inTenant(tenant, trx =>
    ingestMessage(trx, { tenant, inboxId, raw, envelopeFrom: null, createdBy: null }),
  )
  return { emailId, operationId: operationId ?? '', ...tenant }
}

async function readEmail({ emailId }: EmailJob) {
  const { rows } = await database.pool.query(
    `select emails.*, text_search::text, text_search @@ 'from'::tsquery as finds from emails where id = $1`,
    [emailId],
  )
  return rows[0]
}
