import tap, { test } from 'tap'
import type { EmailJob } from '../../../lib/jobs/queues.ts'
import { ingestMessage } from '../../../lib/mail/ingest-message.ts'
import { giveUpOnEmail, processEmail } from '../../../lib/mail/process-email.ts'
import { createOperation } from '../../../lib/operations/repository.ts'
import { startJobs } from '../jobs/support/start-jobs.ts'
import { addInbox } from './support/add-inbox.ts'
import { bankLine, boletoFile, cnpj, invoiceMessage } from './support/invoice-message.ts'
import { toRaw } from './support/sample-message.ts'

const { database, people } = await startJobs(tap)
const tenant = people.billing
const open = await addInbox(database, tenant)

async function take(raw: Buffer, inboxId = open): Promise<EmailJob> {
  const receivedAt = '2007-12-03T12:31:00.000Z'
  const { emailId, operationId } = await database.inTenant(tenant, trx =>
    ingestMessage(trx, { tenant, inboxId, raw, envelopeFrom: null, createdBy: null, receivedAt }),
  )
  return { emailId, operationId: operationId ?? '', ...tenant }
}

async function again(job: EmailJob): Promise<EmailJob> {
  const operation = await database.inTenant(tenant, trx =>
    createOperation(trx, tenant, { kind: 'email.process', emailId: job.emailId, createdBy: null }),
  )
  return { ...job, operationId: operation.id }
}

async function readExtractions({ emailId }: EmailJob) {
  const { rows } = await database.pool.query(
    `select id, kind, value, source, attachment_id, found_offset, excerpt, due_on, position, inbox_id, found_at,
      (select id from attachments where email_id = $1 and position = 0) as first_file
    from extractions where email_id = $1 order by position`,
    [emailId],
  )
  return rows
}

async function readEvents({ emailId }: EmailJob) {
  const { rows } = await database.pool.query(
    'select type, data from events where email_id = $1 order by created_at, id',
    [emailId],
  )
  return rows
}

test('what was extracted is filed with the e-mail, with its place and with the attachment it is in', async t => {
  const job = await take(invoiceMessage({ id: '1@supplier.test' }))
  await processEmail(database, job)
  const rows = await readExtractions(job)
  t.match(rows, [
    { kind: 'boleto', value: bankLine, source: 'attachment', due_on: '2007-12-31', inbox_id: open },
    { kind: 'cnpj', value: cnpj, source: 'text', attachment_id: null, found_offset: 5, due_on: null },
    { kind: 'link', source: 'html' },
  ])
  t.equal(rows[0].attachment_id, rows[0].first_file)
  t.match(rows[1].excerpt, /^CNPJ 12\.ABC/)
  t.ok(rows[0].id > rows[1].id && rows[1].id > rows[2].id, 'a list from the newest on shows them in order')
})

test('processing again replaces what was extracted, and what is the same keeps its id and its time', async t => {
  const job = await take(invoiceMessage({ id: '2@supplier.test' }))
  await processEmail(database, job)
  const first = await readExtractions(job)
  await database.pool.query(`update extractions set value = 'x' where id = $1`, [first[1].id])
  await processEmail(database, await again(job))
  const second = await readExtractions(job)
  t.same(second[0], first[0])
  t.same(second[2], first[2])
  t.match(second[1], { kind: 'cnpj', value: cnpj })
  t.not(second[1].id, first[1].id)
})

test('of rejected and unreadable mail nothing is extracted, and what was there goes', async t => {
  const inboxId = await addInbox(database, tenant, ['billing@supplier.test'])
  const job = await take(invoiceMessage({ id: '3@supplier.test' }), inboxId)
  await processEmail(database, job)
  t.equal((await readExtractions(job)).length, 3)
  await database.pool.query('delete from allowed_senders where inbox_id = $1', [inboxId])
  await processEmail(database, await again(job))
  t.same(await readExtractions(job), [])
  const { rows } = await database.pool.query(
    'select id from attachments where email_id = $1 union all select email_id from email_texts where email_id = $1',
    [job.emailId],
  )
  t.same(rows, [])
  t.match(await readEvents(job), [{ type: 'email.processed' }, { type: 'email.rejected' }])
})

test('a PDF that cannot be read is noted and does not fail the e-mail', async t => {
  const broken = { ...boletoFile, name: 'b.pdf', content: Buffer.from('%PDF-1.7 broken') }
  const job = await take(invoiceMessage({ id: '4@supplier.test', files: [broken, boletoFile] }))
  await processEmail(database, job)
  const { rows } = await database.pool.query(
    'select reading from attachments where email_id = $1 order by position',
    [job.emailId],
  )
  t.same(rows, [{ reading: 'broken' }, { reading: 'read' }])
  t.match(await readExtractions(job), [{ kind: 'boleto' }, { kind: 'cnpj' }, { kind: 'link' }])
})

test('all of it happens or nothing does', async t => {
  const job = await take(invoiceMessage({ id: 'none@supplier.test' }))
  await database.pool.query('alter table events add constraint none check (email_id is null) not valid')
  await t.rejects(processEmail(database, job), { code: '23514' }, 'the last thing that is written fails')
  const { rows } = await database.pool.query(
    `select status, subject, (select count(*)::int from attachments where email_id = $1) as files,
      (select count(*)::int from email_texts where email_id = $1) as texts from emails where id = $1`,
    [job.emailId],
  )
  t.same(rows, [{ status: 'processing', subject: null, files: 0, texts: 0 }])
  t.same(await readExtractions(job), [])
  await database.pool.query('alter table events drop constraint none')
  await processEmail(database, job)
  t.equal((await readExtractions(job)).length, 3)
  t.match(await readEvents(job), [{ type: 'email.processed' }])
})

test('200 attachments, some of them large, are filed with their bytes', async t => {
  const files = Array.from({ length: 200 }, (_, index) => ({
    name: `${index}.bin`,
    type: 'application/octet-stream',
    content: Buffer.alloc(index < 6 ? 2_500_000 : 10, index + 1),
  }))
  const job = await take(invoiceMessage({ id: '5@supplier.test', files }))
  await processEmail(database, job)
  const { rows } = await database.pool.query(
    `select position, size_bytes, octet_length(content) as size, get_byte(content, 3) as byte
    from attachments join attachment_contents on attachment_id = id where email_id = $1 order by position`,
    [job.emailId],
  )
  t.equal(rows.length, 200)
  t.same(rows[5], { position: 5, size_bytes: 2_500_000, size: 2_500_000, byte: 6 })
  t.same(rows[199], { position: 199, size_bytes: 10, size: 10, byte: 200 })
})

test('an e-mail with hundreds of values is filed with all of them', async t => {
  const amounts = Array.from({ length: 150 }, (_, index) => `R$ ${index + 1},37`).join('\r\n')
  const links = Array.from({ length: 150 }, (_, index) => `https://a.test/${index}`).join('\r\n')
  const job = await take(invoiceMessage({ id: '6@supplier.test', text: `${amounts}\r\n${links}`, files: [] }))
  await processEmail(database, job)
  const rows = await readExtractions(job)
  t.same(
    ['amount', 'link'].map(kind => rows.filter(row => row.kind === kind).length),
    [100, 100],
  )
})

test('each outcome is one event per operation, whatever runs twice', async t => {
  const job = await take(invoiceMessage({ id: '7@supplier.test' }))
  await Promise.all([processEmail(database, job), processEmail(database, job)])
  await processEmail(database, job)
  const [boleto] = await readExtractions(job)
  const [event, ...more] = await readEvents(job)
  t.same(more, [])
  t.match(event, {
    type: 'email.processed',
    data: {
      email_id: job.emailId,
      inbox_id: open,
      inbox_address: `${open}@inbox.test`,
      status: 'processed',
      failure: null,
      from: { address: 'billing@supplier.test', name: 'Cobrança' },
      subject: 'Fatura de dezembro',
      labels: [],
      extraction_counts: { boleto: 1, cnpj: 1, link: 1 },
      extractions: [{ id: boleto.id, kind: 'boleto' }, { kind: 'cnpj' }, { kind: 'link' }],
    },
  })
  t.notMatch(
    JSON.stringify(event.data),
    new RegExp(`${bankLine}|12\\.ABC`),
    'neither text nor values are told',
  )
  await processEmail(database, await again(job))
  t.match(await readEvents(job), [{ type: 'email.processed' }, { type: 'email.processed' }])
})

test('failures are told as well, also of what is given up', async t => {
  const unreadable = await take(
    toRaw('From: x@y.test', 'Content-Type: multipart/mixed; boundary=b', '', '--b\n\nx\n'.repeat(1_500)),
  )
  await processEmail(database, unreadable)
  t.match(await readEvents(unreadable), [
    {
      type: 'email.failed',
      data: { status: 'failed', failure: { code: 'too_many_parts' }, from: { address: 'x@y.test' } },
    },
  ])
  const lost = await take(invoiceMessage({ id: '8@supplier.test' }))
  await giveUpOnEmail(database, lost, 6)
  await giveUpOnEmail(database, lost, 6)
  t.match(await readEvents(lost), [
    { type: 'email.failed', data: { failure: { code: 'processing_failed' }, extractions: [] } },
  ])
})
