import tap, { test } from 'tap'
import type { EmailJob } from '../../../lib/jobs/queues.ts'
import { startWorker } from '../../../lib/jobs/start-worker.ts'
import { ingestMessage } from '../../../lib/mail/ingest-message.ts'
import { giveUpOnEmail, processEmail } from '../../../lib/mail/process-email.ts'
import { createOperation } from '../../../lib/operations/repository.ts'
import { eventually, silent, startJobs } from '../jobs/support/start-jobs.ts'
import { addInbox } from './support/add-inbox.ts'
import { sampleMessage, toRaw } from './support/sample-message.ts'

const { database, jobs, people } = await startJobs(tap)
const tenant = people.billing
const open = await addInbox(database, tenant)

async function take(
  raw: Buffer,
  { inboxId = open, envelopeFrom = null }: { inboxId?: string; envelopeFrom?: string | null } = {},
): Promise<EmailJob> {
  const { emailId, operationId } = await database.inTenant(tenant, trx =>
    ingestMessage(trx, { tenant, inboxId, raw, envelopeFrom, createdBy: null }),
  )
  return { emailId, operationId: operationId ?? '', ...tenant }
}

test('the worker reads a message and files all of it', async t => {
  const job = await take(sampleMessage('1@supplier.test'))
  const worker = await startWorker({ database, jobs, log: silent })
  await eventually(async () => (await readEmail(job)).status === 'processed')
  await worker.stop()
  t.match(await readEmail(job), {
    failure_code: null,
    from_address: 'carla@supplier.test',
    from_name: 'Carla Souza',
    to: [{ address: 'invoices@acme.test', name: 'Invoices' }, { address: 'rui@acme.test' }],
    subject: 'Fatura de março',
    sent_at: '2026-03-10T12:30:15.000Z',
    has_attachments: true,
    attachment_count: 2,
    version: 1,
    text: 'Olá, segue a fatura.',
    html: '<p>Olá, segue a <b>fatura</b>.</p>',
    files: ['fatura.pdf 19 %PDF-1.7 not really', 'itens.csv 10 item;valor'],
    operation: 'succeeded',
    error_code: null,
  })
  t.match((await readEmail(job)).processed_at, /Z$/)
})

test('reading again replaces what was read and keeps what people edited', async t => {
  const job = await take(sampleMessage('2@supplier.test'))
  await processEmail(database, job)
  const first = await readEmail(job)
  await database.pool.query(
    `update emails set labels = '{paid}', read = true, version = 3, subject = 'damaged' where id = $1`,
    [job.emailId],
  )
  await database.pool.query('delete from email_texts where email_id = $1', [job.emailId])

  const operation = await database.inTenant(tenant, trx =>
    createOperation(trx, tenant, { kind: 'email.reprocess', emailId: job.emailId, createdBy: people.ana }),
  )
  await processEmail(database, { ...job, operationId: operation.id })
  const again = await readEmail({ ...job, operationId: operation.id })
  t.match(again, { labels: ['paid'], read: true, version: 3, operation: 'succeeded' })
  t.match(again, { subject: first.subject, text: first.text, files: first.files })
  t.same(again.file_ids, first.file_ids, 'the same files keep their ids')
})

test('a run whose operation is finished does nothing, and of two at once one takes effect', async t => {
  const job = await take(sampleMessage('3@supplier.test'))
  await Promise.all([processEmail(database, job), processEmail(database, job)])
  const done = await readEmail(job)
  t.match(done, { status: 'processed', operation: 'succeeded', attachment_count: 2 })
  await processEmail(database, job)
  await giveUpOnEmail(database, job, 6)
  t.same(await readEmail(job), done)
})

test('a message that cannot be read ends failed, with a reason and with what its header says', async t => {
  const job = await take(
    toRaw(
      'From: X <x@y.test>',
      'Subject: many',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b\n\nx\n'.repeat(1_500),
    ),
  )
  const worker = await startWorker({ database, jobs, log: silent })
  await eventually(async () => (await readEmail(job)).status === 'failed')
  await worker.stop()
  const reason = 'The message has more than 1000 parts. Ask the sender to pack the files into one archive.'
  t.match(await readEmail(job), {
    failure_code: 'too_many_parts',
    failure_reason: reason,
    from_address: 'x@y.test',
    subject: 'many',
    text: null,
    attachment_count: 0,
    operation: 'failed',
    error_code: 'too_many_parts',
    error_detail: reason,
  })
  t.same(await jobs.deadLetters(), [], 'trying it again would not help')
})

test('an inbox with an allowlist takes mail from those on it', async t => {
  const inboxId = await addInbox(database, tenant, ['carla@supplier.test', '@partner.test'])
  const senders: Record<string, [from: string, status: string]> = {
    'an address on it': ['carla@supplier.test', 'processed'],
    'the same in other letters': ['CARLA@Supplier.TEST', 'processed'],
    'a domain on it': ['Any Body <any.body@Partner.Test>', 'processed'],
    'another address of that domain': ['other@supplier.test', 'rejected'],
    'a domain inside of it': ['x@mail.partner.test', 'rejected'],
    'a domain that ends like it': ['x@notpartner.test', 'rejected'],
    'an address in the name': ['"carla@supplier.test" <evil@x.test>', 'rejected'],
  }
  for (const [name, [from, status]] of Object.entries(senders)) {
    const job = await take(sampleMessage(`${name.replaceAll(' ', '-')}@x.test`, from), { inboxId })
    await processEmail(database, job)
    const email = await readEmail(job)
    t.equal(email.status, status, name)
    t.equal(email.operation, 'succeeded')
    t.equal(email.failure_code, status === 'rejected' ? 'sender_not_allowed' : null)
    if (status === 'rejected')
      t.match(email, { text: null, files: null, attachment_count: 0 }, 'nothing is kept')
  }
})

test('without a From header the envelope says who sent it', async t => {
  const inboxId = await addInbox(database, tenant, ['@partner.test'])
  const byEnvelope = await take(toRaw('Subject: x', '', 'y'), { inboxId, envelopeFrom: 'Bot@Partner.test' })
  const byNobody = await take(toRaw('Subject: x', '', 'y'), { inboxId })
  await processEmail(database, byEnvelope)
  await processEmail(database, byNobody)
  t.equal((await readEmail(byEnvelope)).status, 'processed')
  t.match(await readEmail(byNobody), { status: 'rejected', failure_reason: /names no sender/ })
})

test('a rejected e-mail is read once its sender is allowed', async t => {
  const inboxId = await addInbox(database, tenant, ['@partner.test'])
  const job = await take(sampleMessage('4@supplier.test'), { inboxId })
  await processEmail(database, job)
  t.equal((await readEmail(job)).status, 'rejected')
  await database.pool.query(
    `insert into allowed_senders (workspace_id, inbox_id, pattern) values ($1, $2, '@supplier.test')`,
    [tenant.workspaceId, inboxId],
  )
  const operation = await database.inTenant(tenant, trx =>
    createOperation(trx, tenant, { kind: 'email.reprocess', emailId: job.emailId, createdBy: null }),
  )
  await processEmail(database, { ...job, operationId: operation.id })
  t.match(await readEmail(job), { status: 'processed', failure_code: null, attachment_count: 2 })
})

test('an e-mail that is deleted meanwhile is left alone, and its operation says so', async t => {
  const job = await take(sampleMessage('5@supplier.test'))
  await database.pool.query('update emails set deleted_at = now() where id = $1', [job.emailId])
  await processEmail(database, job)
  t.match(await readEmail(job), {
    status: 'received',
    operation: 'failed',
    error_code: 'email_deleted',
  })
})

test("a job reaches nothing of another tenant's", async t => {
  const job = await take(sampleMessage('6@supplier.test'))
  await processEmail(database, { ...job, ...people.main })
  t.match(await readEmail(job), { status: 'received', operation: 'queued' })
})

test('a job that fails for good leaves a failed e-mail and operation, and a dead letter', async t => {
  const job = await take(sampleMessage('7@supplier.test'))
  // As if the disk had lost it: no attempt can succeed, and it is nothing about the message.
  await database.pool.query('delete from email_sources where email_id = $1', [job.emailId])
  const worker = await startWorker({ database, jobs, log: silent })
  const email = await eventually(async () => {
    const email = await readEmail(job)
    return email.operation === 'failed' && email
  }, 40)
  await worker.stop()
  t.match(email, { status: 'failed', failure_code: 'processing_failed', error_code: 'processing_failed' })
  t.match(email.failure_reason, `Reading this message failed 3 times.`)
  t.match(email.failure_reason, job.operationId)
  t.match(await jobs.deadLetters(), [{ name: 'email.process', data: job, attempts: 3, error: 'no result' }])
})

async function readEmail({ emailId, operationId }: EmailJob) {
  const { rows } = await database.pool.query(
    `select emails.*, texts.text, texts.html,
      operations.status as operation, operations.error_code, operations.error_detail,
      (select array_agg(filename || ' ' || size_bytes || ' ' || convert_from(content, 'utf8') order by position)
        from attachments join attachment_contents on attachment_id = id where email_id = emails.id) as files,
      (select array_agg(id order by position) from attachments where email_id = emails.id) as file_ids
    from emails
    left join email_texts as texts on texts.email_id = emails.id
    join operations on operations.id = $2
    where emails.id = $1`,
    [emailId, operationId],
  )
  return rows[0]
}
