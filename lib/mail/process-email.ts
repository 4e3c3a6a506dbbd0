import { sql, type Transaction } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { toSearchVector } from '../database/text-search.ts'
import type { EmailJob } from '../jobs/queues.ts'
import { tryRules } from '../rules/apply-rules.ts'
import { toInboxNames, toRuleSubject } from '../rules/match-rule.ts'
import { checkSender } from './check-sender.ts'
import {
  type Failure,
  finishOperation,
  type LockedEmail,
  lockUnfinished,
  startOperation,
} from './email-operation.ts'
import { extractMessage } from './extract-message.ts'
import { type EmailOutcome, fileEmail, toHeaderColumns } from './file-email.ts'
import { type MessageLimits, type ParsedMessage, parseMessage, UnreadableMessage } from './parse-message.ts'
import { publishOutcome } from './publish-outcome.ts'
import { readHeaders } from './read-headers.ts'

/**
 * Reads one e-mail, for the first time or again: marks it as being read; parses its bytes, asks whether its
 * sender may write, extracts what proves itself and tries the rules, all outside of the transaction that writes; then
 * files everything in one. It may be killed at any point and run again, or run twice at once: until that last
 * transaction nothing has happened, and after it nothing happens any more. Rejects for what may go better next
 * time; a message that cannot be read is an outcome. Resolves to what was written down, or null where nothing was.
 *
 * All of it runs in the tenant of the job, under row-level security, although the worker could act as the
 * owner: whatever a message makes this code do, it can reach one workspace.
 */
export async function processEmail(
  database: Database,
  job: EmailJob,
  limits?: MessageLimits,
): Promise<EmailOutcome['status'] | null> {
  const claimed = await database.inTenant(job, trx => claimEmail(trx, job))
  if (!claimed) return null
  const outcome = await toOutcome(database, job, { ...claimed, limits })
  return database.inTenant(job, async trx => {
    const email = await lockUnfinished(trx, job)
    if (!email) return null
    await fileEmail(trx, job, { email, outcome })
    return outcome.status
  })
}

/** The last word on an e-mail whose job failed for good, so that nobody waits for it. */
export async function giveUpOnEmail(database: Database, job: EmailJob, attempts: number): Promise<void> {
  const failure = {
    code: 'processing_failed',
    reason: `Reading this message failed ${attempts} times. Process it again; if that fails as well, report ${job.operationId} to whoever runs this service.`,
  }
  const message = await readKeptHeaders(database, job)
  await database.inTenant(job, async trx => {
    const email = await lockUnfinished(trx, job)
    if (!email) return
    const failed = await failEmail(trx, job, { failure, message })
    const { from_address: address, from_name: name, subject } = failed
    await finishOperation(trx, job, failure)
    const from = address === null ? null : { address, name }
    await publishOutcome(trx, job, {
      email,
      news: { status: 'failed', failure, from, subject, labels: email.labels, extractions: [] },
    })
  })
}

/** So that the e-mail is found by its sender; null where that, too, fails, whatever the reason. */
async function readKeptHeaders(database: Database, job: EmailJob): Promise<ParsedMessage | null> {
  const source = await database.inTenant(job, trx => sourceOf(trx, job).executeTakeFirst())
  if (!source) return null
  return readHeaders(source.raw).catch(() => null)
}

/** What an earlier reading left stays: nothing new was read but perhaps the header. */
function failEmail(
  trx: Transaction<Tables>,
  job: EmailJob,
  { failure, message }: { failure: Failure; message: ParsedMessage | null },
) {
  return trx
    .updateTable('emails')
    .set({
      status: 'failed',
      failure_code: failure.code,
      failure_reason: failure.reason,
      ...(message && {
        ...toHeaderColumns(message),
        text_search: sql<string>`coalesce(text_search, ${toSearch(message, [])})`,
      }),
      processed_at: sql<string>`now()`,
      updated_at: sql<string>`now()`,
    })
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', job.emailId)
    .returning(['from_address', 'from_name', 'subject'])
    .executeTakeFirstOrThrow()
}

interface Claimed {
  readonly email: LockedEmail
  readonly raw: Buffer
}

/** The message, which is being read from now on; null when there is nothing to do. */
async function claimEmail(trx: Transaction<Tables>, job: EmailJob): Promise<Claimed | null> {
  const email = await lockUnfinished(trx, job)
  if (!email) return null
  await startOperation(trx, job)
  const { raw } = await sourceOf(trx, job).executeTakeFirstOrThrow()
  return { email, raw }
}

function sourceOf(trx: Transaction<Tables>, job: EmailJob) {
  return trx
    .selectFrom('email_sources')
    .where('workspace_id', '=', job.workspaceId)
    .where('email_id', '=', job.emailId)
    .select('raw')
}

/** What the message is, decided step by step: what is refused by one step does not see the next. */
async function toOutcome(
  database: Database,
  job: EmailJob,
  { email, raw, limits }: Claimed & { limits: MessageLimits | undefined },
): Promise<EmailOutcome> {
  const message = await readMessage(raw, limits)
  if (message instanceof UnreadableMessage) {
    const headers = await readHeaders(raw, limits)
    return toRefused('failed', { code: message.code, reason: message.reason }, headers)
  }
  const refusal =
    email.senderPolicy === 'anyone'
      ? null
      : await database.inTenant(job, trx => checkSender(trx, job, { email, message }))
  if (refusal) return toRefused('rejected', refusal, message)
  const { receivedAt } = email
  const { extractions, readings } = await extractMessage(message, { receivedAt })
  const subject = toRuleSubject({ ...message, extractionKinds: extractions.map(({ kind }) => kind) })
  const inbox = toInboxNames({ id: email.inboxId, address: email.inboxAddress })
  return {
    status: 'processed',
    failure: null,
    message,
    extractions,
    readings,
    tried: await tryRules(database, job, { ...subject, inbox }),
    search: toSearch(message, [...message.attachments.map(({ filename }) => filename), message.text]),
  }
}

function toRefused(
  status: 'failed' | 'rejected',
  failure: Failure,
  message: ParsedMessage | null,
): EmailOutcome {
  return { status, failure, message, search: toSearch(message, []) }
}

function toSearch(message: ParsedMessage | null, more: readonly (string | null)[]) {
  const { subject = null, from = null } = message ?? {}
  return toSearchVector([subject, from?.name ?? null, from?.address ?? null, ...more])
}

async function readMessage(raw: Buffer, limits?: MessageLimits): Promise<ParsedMessage | UnreadableMessage> {
  try {
    return await parseMessage(raw, limits)
  } catch (error) {
    if (error instanceof UnreadableMessage) return error
    throw error
  }
}
