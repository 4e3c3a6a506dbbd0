import tap, { test } from 'tap'
import type { Tenant } from '../../../lib/database/database.ts'
import type { EmailJob } from '../../../lib/jobs/queues.ts'
import { ingestMessage } from '../../../lib/mail/ingest-message.ts'
import { processEmail } from '../../../lib/mail/process-email.ts'
import { createOperation } from '../../../lib/operations/repository.ts'
import { deleteRule } from '../../../lib/rules/repository.ts'
import type { Rule, UpsertedRule } from '../../../lib/rules/schema.ts'
import { upsertRule } from '../../../lib/rules/upsert-rule.ts'
import { startJobs } from '../jobs/support/start-jobs.ts'
import { addInbox } from './support/add-inbox.ts'
import { bankLine, invoiceMessage } from './support/invoice-message.ts'

const { database, people } = await startJobs(tap)
const tenant = people.billing
const open = await addInbox(database, tenant)
let count = 0

async function take(subject: string, inboxId = open): Promise<EmailJob> {
  // Without a PDF, which takes longer to read than all the rest.
  const raw = invoiceMessage({ id: `${++count}@supplier.test`, subject, text: bankLine, files: [] })
  const { emailId, operationId } = await database.inTenant(tenant, trx =>
    ingestMessage(trx, { tenant, inboxId, raw, envelopeFrom: null, createdBy: null }),
  )
  return { emailId, operationId: operationId ?? '', ...tenant }
}

async function again(job: EmailJob): Promise<EmailJob> {
  const operation = await database.inTenant(tenant, trx =>
    createOperation(trx, tenant, { kind: 'email.process', emailId: job.emailId, createdBy: null }),
  )
  return { ...job, operationId: operation.id }
}

async function setRule(
  key: string,
  { subject = key, ...rest }: Partial<UpsertedRule> & { subject?: string },
  where: Tenant = tenant,
): Promise<Rule> {
  const conditions = [{ field: 'subject', operator: 'contains', value: subject }] as const
  const rule = { key, name: key, conditions: [...conditions], actions: { notify: true } as const, ...rest }
  const { rule: stored } = await database.inTenant(where, trx =>
    upsertRule(trx, where, { rule, ifMatch: undefined }),
  )
  return stored
}

async function read({ emailId }: EmailJob) {
  const email = await database.pool.query('select labels, read, version, status from emails where id = $1', [
    emailId,
  ])
  const events = await database.pool.query(
    `select data from events where email_id = $1 and type = 'rule.matched' order by created_at, id`,
    [emailId],
  )
  return { ...email.rows[0], told: events.rows.map(({ data }) => data.rule.key), events: events.rows }
}

async function readRule({ id }: Rule) {
  const { rows } = await database.pool.query(
    'select matched_count, last_matched_at, version, updated_at from rules where id = $1',
    [id],
  )
  return rows[0]
}

test('rules label, mark and notify in the order of their priority, and the version grows once', async t => {
  await setRule('order c', { subject: 'order', priority: 3, actions: { label: ['c', 'a'], notify: true } })
  await setRule('order a', { subject: 'order', priority: 1, actions: { label: ['a', 'b'], notify: true } })
  const quiet = await setRule('order b', { subject: 'order', priority: 2, actions: { mark: 'read' } })
  await setRule('order off', { subject: 'order', enabled: false, actions: { label: ['off'] } })
  await setRule('order elsewhere', { subject: 'order', actions: { label: ['else'] } }, people.support)
  const job = await take('An order')
  await processEmail(database, job)
  const email = await read(job)
  t.match(email, { labels: ['a', 'b', 'c'], read: true, version: 2, told: ['order a', 'order c'] })
  t.match(email.events[0].data, {
    rule: { key: 'order a', name: 'order a' },
    email_id: job.emailId,
    subject: 'An order',
    labels: ['a', 'b', 'c'],
    extraction_counts: { boleto: 1 },
  })
  const counted = await readRule(quiet)
  t.match(counted, { matched_count: 1, version: 1, updated_at: quiet.updated_at })
  t.match(counted.last_matched_at, /Z$/)
})

test('a rule that stops keeps those behind it from being tried', async t => {
  await setRule('stop first', { subject: 'halt', priority: 10, stop: true, actions: { label: ['first'] } })
  await setRule('stop other', { subject: 'not in there', priority: 9, stop: true })
  const behind = await setRule('stop behind', { subject: 'halt', priority: 11, actions: { label: ['no'] } })
  const job = await take('halt')
  await processEmail(database, job)
  t.match(await read(job), { labels: ['first'] })
  t.match(await readRule(behind), { matched_count: 0, last_matched_at: null })
})

test('extractions and the inbox are conditions, too', async t => {
  const inboxId = await addInbox(database, tenant)
  const kind = { field: 'extraction', operator: 'equals', value: 'boleto' } as const
  const place = { field: 'inbox', operator: 'equals', value: `${inboxId}@INBOX.test` } as const
  await setRule('boletos here', { conditions: [kind, place], actions: { label: ['boleto here'] } })
  await setRule('pix', { conditions: [{ ...kind, value: 'pix' }, place], actions: { label: ['pix'] } })
  const [here, elsewhere] = [await take('x', inboxId), await take('x')]
  await processEmail(database, here)
  await processEmail(database, elsewhere)
  t.match(await read(here), { labels: ['boleto here'] })
  t.match(await read(elsewhere), { labels: [], version: 1 })
})

test('an e-mail is counted and told once per rule, whatever runs twice or is processed again', async t => {
  const rule = await setRule('once', { actions: { label: ['once'], notify: true } })
  const job = await take('once')
  await Promise.all([processEmail(database, job), processEmail(database, job)])
  await database.pool.query(`update emails set labels = '{}', version = 5 where id = $1`, [job.emailId])
  await processEmail(database, await again(job))
  t.match(await read(job), { labels: ['once'], version: 6, told: ['once'] }, 'labels are put on again')
  t.match(await readRule(rule), { matched_count: 1 })

  await t.test('a rule that begins to notify later tells at the next time, once', async t => {
    await setRule('later', { subject: 'once', actions: { mark: 'read' } })
    await processEmail(database, await again(job))
    const later = await setRule('later', { subject: 'once', actions: { notify: true } })
    await processEmail(database, await again(job))
    await processEmail(database, await again(job))
    t.match(await read(job), { told: ['once', 'later'] })
    t.match(await readRule(later), { matched_count: 1 })
  })
})

test('two workers that match the same rules do not stop each other', async t => {
  const rules = []
  for (let index = 0; index < 5; index++) {
    rules.push(await setRule(`crowd ${index}`, { subject: 'crowd', priority: 50 - index }))
  }
  const jobs = []
  for (let index = 0; index < 8; index++) jobs.push(await take('crowd'))
  await Promise.all(jobs.map(job => processEmail(database, job)))
  for (const job of jobs) t.match(await read(job), { status: 'processed' })
  for (const rule of rules) t.match(await readRule(rule), { matched_count: 8 })
})

test('mail that is rejected meets no rule, and a rule that is deleted leaves what it did', async t => {
  const inboxId = await addInbox(database, tenant, [])
  const rule = await setRule('gone', { actions: { label: ['gone'] } })
  const rejected = await take('gone', inboxId)
  await processEmail(database, rejected)
  t.match(await read(rejected), { status: 'rejected', labels: [], told: [] })
  const job = await take('gone')
  await processEmail(database, job)
  await database.inTenant(tenant, trx => deleteRule(trx, tenant, { id: rule.id, ifMatch: undefined }))
  t.match(await read(job), { labels: ['gone'] })
})
