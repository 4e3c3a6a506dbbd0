import { sql, type Transaction } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import type { EmailJob } from '../jobs/queues.ts'
import { checkSender } from './check-sender.ts'
import { finishOperation, type LockedEmail, lockUnfinished, startOperation } from './email-operation.ts'
import { type MessageLimits, type ParsedMessage, parseMessage, UnreadableMessage } from './parse-message.ts'
import { readHeaders } from './read-headers.ts'
import { type EmailOutcome, storeEmail } from './store-email.ts'

/**
 * Reads one e-mail, for the first time or again: marks it as being read, parses its bytes outside of any
 * transaction, then writes everything in one. It may be killed at any point and run again, or run twice at
 * once: until that last transaction nothing has happened, and after it nothing happens any more. Rejects for
 * what may go better next time; a message that cannot be read is an outcome.
 *
 * All of it runs in the tenant of the job, under row-level security, although the worker could act as the
 * owner: whatever a message makes this code do, it can reach one workspace.
 */
export async function processEmail(database: Database, job: EmailJob, limits?: MessageLimits): Promise<void> {
  const raw = await database.inTenant(job, trx => claimEmail(trx, job))
  if (!raw) return
  const read = await readMessage(raw, limits)
  await database.inTenant(job, async trx => {
    const email = await lockUnfinished(trx, job)
    if (!email) return
    const outcome = await toOutcome(trx, job, { email, read })
    await storeEmail(trx, job, outcome)
    // A rejection is what the inbox is set to do: reading the e-mail succeeded.
    await finishOperation(trx, job, outcome.status === 'failed' ? outcome.failure : null)
  })
}

/** The last word on an e-mail whose job failed for good, so that nobody waits for it. */
export async function giveUpOnEmail(database: Database, job: EmailJob, attempts: number): Promise<void> {
  const failure = {
    code: 'processing_failed',
    reason: `Reading this message failed ${attempts} times. Process it again; if that fails as well, report ${job.operationId} to whoever runs this service.`,
  }
  await database.inTenant(job, async trx => {
    if (!(await lockUnfinished(trx, job))) return
    await trx
      .updateTable('emails')
      .set({
        status: 'failed',
        failure_code: failure.code,
        failure_reason: failure.reason,
        processed_at: sql<string>`now()`,
        updated_at: sql<string>`now()`,
      })
      .where('workspace_id', '=', job.workspaceId)
      .where('id', '=', job.emailId)
      .execute()
    await finishOperation(trx, job, failure)
  })
}

/** The bytes of the message, which is being read from now on; null when there is nothing to do. */
async function claimEmail(trx: Transaction<Tables>, job: EmailJob): Promise<Buffer | null> {
  if (!(await lockUnfinished(trx, job))) return null
  await startOperation(trx, job)
  await trx
    .updateTable('emails')
    .set({ status: 'processing', updated_at: sql<string>`now()` })
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', job.emailId)
    .execute()
  const { raw } = await trx
    .selectFrom('email_sources')
    .where('workspace_id', '=', job.workspaceId)
    .where('email_id', '=', job.emailId)
    .select('raw')
    .executeTakeFirstOrThrow()
  return raw
}

type Read = ParsedMessage | { readonly refused: UnreadableMessage; readonly headers: ParsedMessage | null }

async function readMessage(raw: Buffer, limits?: MessageLimits): Promise<Read> {
  try {
    return await parseMessage(raw, limits)
  } catch (error) {
    if (!(error instanceof UnreadableMessage)) throw error
    return { refused: error, headers: await readHeaders(raw, limits) }
  }
}

async function toOutcome(
  trx: Transaction<Tables>,
  job: EmailJob,
  { email, read }: { email: LockedEmail; read: Read },
): Promise<EmailOutcome> {
  if ('refused' in read) {
    const { code, reason } = read.refused
    return { status: 'failed', failure: { code, reason }, message: read.headers }
  }
  const failure = await checkSender(trx, job, { email, message: read })
  return { status: failure ? 'rejected' : 'processed', failure, message: read }
}
