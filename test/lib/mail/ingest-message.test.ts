import tap, { test } from 'tap'
import { ingestMessage } from '../../../lib/mail/ingest-message.ts'
import { startJobs } from '../jobs/support/start-jobs.ts'
import { addInbox } from './support/add-inbox.ts'
import { sampleMessage, toRaw } from './support/sample-message.ts'

const { database, people } = await startJobs(tap)
const tenant = people.billing

function ingest(raw: Buffer, more: { inboxId: string; receivedAt?: string }) {
  const envelopeFrom = 'bounce@supplier.test'
  return database.inTenant(tenant, trx =>
    ingestMessage(trx, { tenant, raw, envelopeFrom, createdBy: people.ana, ...more }),
  )
}

test('a message that comes in is kept with its bytes, an operation and a job', async t => {
  const inboxId = await addInbox(database, tenant)
  const raw = sampleMessage('one@supplier.test')
  const { emailId, operationId, duplicate } = await ingest(raw, { inboxId })
  t.equal(duplicate, false)

  const { rows } = await database.pool.query(
    `select emails.status, inbox_id, message_id, envelope_from, size_bytes, version, raw,
      operations.kind, operations.status as operation, operations.created_by, resource_id, job.data
    from emails
    join email_sources on email_sources.email_id = emails.id
    join operations on operations.email_id = emails.id and operations.id = $2
    join pgboss.job as job on data ->> 'emailId' = emails.id
    where emails.id = $1`,
    [emailId, operationId],
  )
  t.match(rows, [
    {
      status: 'received',
      inbox_id: inboxId,
      message_id: 'one@supplier.test',
      envelope_from: 'bounce@supplier.test',
      size_bytes: raw.length,
      version: 1,
      raw,
      kind: 'email.process',
      operation: 'queued',
      created_by: people.ana,
      resource_id: emailId,
      data: { emailId, operationId, ...people.billing },
    },
  ])
})

test('the same message again gives the first e-mail back and makes nothing', async t => {
  const inboxId = await addInbox(database, tenant)
  const raw = sampleMessage('one@supplier.test')
  const first = await ingest(raw, { inboxId })
  t.same(await ingest(raw, { inboxId }), { ...first, duplicate: true })
  t.same(await countAll(inboxId), { emails: 1, sources: 1, operations: 1, jobs: 1 })

  await t.test('also when several come at the same moment', async t => {
    const other = sampleMessage('two@supplier.test')
    const all = await Promise.all(Array.from({ length: 5 }, () => ingest(other, { inboxId })))
    t.equal(new Set(all.map(({ emailId }) => emailId)).size, 1)
    t.equal(new Set(all.map(({ operationId }) => operationId)).size, 1)
    t.equal(all.filter(({ duplicate }) => !duplicate).length, 1)
    t.same(await countAll(inboxId), { emails: 2, sources: 2, operations: 2, jobs: 2 })
  })

  await t.test('unless it comes to another inbox', async t => {
    const elsewhere = await addInbox(database, tenant)
    t.equal((await ingest(raw, { inboxId: elsewhere })).duplicate, false)
  })

  await t.test('unless the first was deleted', async t => {
    await database.pool.query('update emails set deleted_at = now() where id = $1', [first.emailId])
    const again = await ingest(raw, { inboxId })
    t.equal(again.duplicate, false)
    t.not(again.emailId, first.emailId)
  })

  await t.test('unless it has no Message-ID', async t => {
    const anonymous = toRaw('Subject: x', '', 'y')
    t.equal((await ingest(anonymous, { inboxId })).duplicate, false)
    t.equal((await ingest(anonymous, { inboxId })).duplicate, false)
  })
})

test('nothing of a message stays when its transaction is rolled back', async t => {
  const inboxId = await addInbox(database, tenant)
  const raw = sampleMessage('one@supplier.test')
  const rolledBack = database.inTenant(tenant, async trx => {
    await ingestMessage(trx, { tenant, inboxId, raw, envelopeFrom: null, createdBy: null })
    throw new Error('killed')
  })
  await t.rejects(rolledBack, { message: 'killed' })
  t.same(await countAll(inboxId), { emails: 0, sources: 0, operations: 0, jobs: 0 })
})

test('an inbox that takes no mail gets none', async t => {
  const inboxId = await addInbox(database, tenant)
  const raw = sampleMessage('one@supplier.test')
  await t.rejects(ingest(Buffer.alloc(0), { inboxId }), { code: 'validation_failed' })
  await t.rejects(ingest(raw, { inboxId: 'inb_01m8mgq2e8e14t87pjdstsfgj6' }), { code: 'not_found' })
  const foreign = await addInbox(database, people.support)
  await t.rejects(ingest(raw, { inboxId: foreign }), { code: 'not_found' }, "another workspace's")
  await database.pool.query(`update inboxes set status = 'paused' where id = $1`, [inboxId])
  await t.rejects(ingest(raw, { inboxId }), { code: 'conflict' }, 'a paused one')
  await database.pool.query(`update inboxes set deleted_at = now() where id = $1`, [inboxId])
  await t.rejects(ingest(raw, { inboxId }), { code: 'not_found' }, 'a deleted one')
  t.same(await countAll(inboxId), { emails: 0, sources: 0, operations: 0, jobs: 0 })
})

test('mail can be taken in with the time at which it was received', async t => {
  const inboxId = await addInbox(database, tenant)
  await ingest(sampleMessage('one@supplier.test'), { inboxId, receivedAt: '2026-03-10T12:30:15.250Z' })
  const { rows } = await database.pool.query('select received_at from emails where inbox_id = $1', [inboxId])
  t.same(rows, [{ received_at: '2026-03-10T12:30:15.250Z' }])
})

async function countAll(inboxId: string) {
  const { rows } = await database.pool.query(
    `select count(emails.id)::int as emails, count(raw)::int as sources,
      count(operations.id)::int as operations, count(job.id)::int as jobs
    from emails
    left join email_sources on email_sources.email_id = emails.id
    left join operations on operations.email_id = emails.id
    left join pgboss.job as job on data ->> 'emailId' = emails.id
    where inbox_id = $1`,
    [inboxId],
  )
  return rows[0]
}
