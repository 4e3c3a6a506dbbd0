import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { AttachmentReading, Tables } from '../database/tables.ts'
import { toJson } from '../database/to-json.ts'
import type { Extraction } from '../extract/extraction.ts'
import type { EmailJob } from '../jobs/queues.ts'
import { type AppliedRules, applyRules, type TriedMessage } from '../rules/apply-rules.ts'
import { type Failure, finishOperation, type LockedEmail } from './email-operation.ts'
import type { ParsedMessage } from './parse-message.ts'
import { publishOutcome, publishRuleMatches } from './publish-outcome.ts'
import { storeContent } from './store-content.ts'

/** How an e-mail ends, and what is kept of it: text, attachments and extractions of a processed one only. */
export type EmailOutcome = { readonly search: RawBuilder<string> } & (
  | {
      readonly status: 'processed'
      readonly failure: null
      readonly message: ParsedMessage
      readonly extractions: readonly Extraction[]
      /** By place in the message. */
      readonly readings: readonly (AttachmentReading | null)[]
      readonly tried: TriedMessage
    }
  | {
      readonly status: 'rejected' | 'failed'
      readonly failure: Failure
      /** What could be read; of a message that could not, perhaps its headers. */
      readonly message: ParsedMessage | null
    }
)

/**
 * Writes what was read from a message and replaces what was read from it before, applies the rules, ends the
 * operation and publishes the event: all that an e-mail's processing does, in the caller's transaction, which
 * has locked both. What people edit, its labels, its read mark and with them its version, only rules change.
 */
export async function fileEmail(
  trx: Transaction<Tables>,
  job: EmailJob,
  { email, outcome }: { email: LockedEmail; outcome: EmailOutcome },
): Promise<void> {
  const content = outcome.status === 'processed' ? outcome : null
  const extractions = await storeContent(trx, job, { email, content })
  const { marks, notifying } = await toRuled(trx, job, { email, outcome })
  await updateEmail(trx, job, { email, outcome, marks })
  // A rejection is what the inbox is set to do: reading the e-mail succeeded.
  await finishOperation(trx, job, outcome.status === 'failed' ? outcome.failure : null)
  const { status, failure, message } = outcome
  const { from = null, subject = null } = message ?? {}
  const news = { status, failure, from, subject, labels: marks.labels, extractions }
  await publishOutcome(trx, job, { email, news })
  await publishRuleMatches(trx, job, { email, news, rules: notifying })
}

async function toRuled(
  trx: Transaction<Tables>,
  job: EmailJob,
  { email, outcome }: { email: LockedEmail; outcome: EmailOutcome },
): Promise<AppliedRules> {
  const marks = { labels: email.labels, read: email.read }
  if (outcome.status !== 'processed') return { marks, notifying: [] }
  return applyRules(trx, job, { emailId: job.emailId, tried: outcome.tried, marks })
}

/** What the header says, as the e-mail has it; null where nothing could be read. */
export function toHeaderColumns(message: ParsedMessage | null) {
  return {
    from_address: message?.from?.address ?? null,
    from_name: message?.from?.name ?? null,
    to: toJson(message?.to ?? []),
    cc: toJson(message?.cc ?? []),
    subject: message?.subject ?? null,
    sent_at: message?.sentAt ?? null,
  }
}

async function updateEmail(
  trx: Transaction<Tables>,
  job: EmailJob,
  { email, outcome, marks }: { email: LockedEmail; outcome: EmailOutcome; marks: AppliedRules['marks'] },
): Promise<void> {
  const { status, failure, message, search } = outcome
  const attachments = status === 'processed' ? outcome.message.attachments.length : 0
  // Labels only ever grow here.
  const isMarked = marks.labels.length !== email.labels.length || marks.read !== email.read
  await trx
    .updateTable('emails')
    .set({
      status,
      failure_code: failure?.code ?? null,
      failure_reason: failure?.reason ?? null,
      ...toHeaderColumns(message),
      has_attachments: attachments > 0,
      attachment_count: attachments,
      text_search: search,
      ...(isMarked && { labels: [...marks.labels], read: marks.read, version: email.version + 1 }),
      processed_at: sql<string>`now()`,
      updated_at: sql<string>`now()`,
    })
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', job.emailId)
    .execute()
}
