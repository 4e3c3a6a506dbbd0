import type { Transaction } from 'kysely'
import type { EmailStatus, MailAddress, Tables } from '../database/tables.ts'
import type { EmailJob } from '../jobs/queues.ts'
import { publishEvent } from '../webhooks/publish-event.ts'
import type { Failure, LockedEmail } from './email-operation.ts'
import type { StoredExtraction } from './store-extractions.ts'

/** What is told of an e-mail when its processing ends. Of its text nothing: who may read it can ask for it. */
export interface EmailNews {
  readonly status: Extract<EmailStatus, 'processed' | 'rejected' | 'failed'>
  readonly failure: Failure | null
  readonly from: MailAddress | null
  readonly subject: string | null
  readonly labels: readonly string[]
  readonly extractions: readonly StoredExtraction[]
}

/** So many extractions are named; a webhook's body stays within some kilobytes. */
const mostNamed = 100

/**
 * `email.processed`, `email.rejected` or `email.failed`: one per operation, so that a job that runs twice tells
 * once, and an e-mail that somebody has processed again is told again.
 */
export async function publishOutcome(
  trx: Transaction<Tables>,
  job: EmailJob,
  { email, news }: { email: LockedEmail; news: EmailNews },
): Promise<void> {
  const type = `email.${news.status}` as const
  const key = `${type}:${job.emailId}:${job.operationId}`
  await publishEvent(trx, job, { type, key, data: toData(job, email, news) })
}

/** `rule.matched` for each rule that notifies: one per e-mail and rule, whatever is processed again. */
export async function publishRuleMatches(
  trx: Transaction<Tables>,
  job: EmailJob,
  {
    email,
    news,
    rules,
  }: {
    email: LockedEmail
    news: EmailNews
    rules: readonly { readonly id: string; readonly key: string; readonly name: string }[]
  },
): Promise<void> {
  for (const { id, key, name } of rules) {
    const data = { rule: { id, key, name }, ...toData(job, email, news) }
    await publishEvent(trx, job, { type: 'rule.matched', key: `rule.matched:${id}:${job.emailId}`, data })
  }
}

function toData(job: EmailJob, email: LockedEmail, news: EmailNews) {
  const { status, failure, from, subject, labels, extractions } = news
  const counts: Partial<Record<string, number>> = {}
  for (const { kind } of extractions) counts[kind] = (counts[kind] ?? 0) + 1
  return {
    email_id: job.emailId,
    inbox_id: email.inboxId,
    inbox_address: email.inboxAddress,
    status,
    failure,
    from,
    subject,
    received_at: email.receivedAt,
    labels,
    extraction_counts: counts,
    extractions: extractions.slice(0, mostNamed),
  }
}
