import { sql, type Transaction } from 'kysely'
import type { SenderPolicy, Tables } from '../database/tables.ts'
import type { EmailJob } from '../jobs/queues.ts'

/** Why something came to nothing: a code for programs, a sentence for people. */
export interface Failure {
  readonly code: string
  readonly reason: string
}

/** The e-mail of a job, as far as the worker decides on it. */
export interface LockedEmail {
  readonly inboxId: string
  readonly inboxAddress: string
  readonly senderPolicy: SenderPolicy
  readonly envelopeFrom: string | null
  readonly receivedAt: string
  readonly labels: readonly string[]
  readonly read: boolean
  readonly version: number
  /** Of the last time it was read; 0 before the first. */
  readonly attachmentCount: number
}

const unfinished = ['queued', 'running'] as const

/**
 * Locks a job's e-mail and operation until the transaction ends. Null when there is nothing left to do:
 * another run has finished the operation, or the e-mail is deleted, which finishes it here. So a job may run
 * twice, or two runs of it side by side, and one of them takes effect.
 */
export async function lockUnfinished(trx: Transaction<Tables>, job: EmailJob): Promise<LockedEmail | null> {
  const email = await trx
    .selectFrom('operations')
    .innerJoin('emails', join =>
      join
        .onRef('emails.workspace_id', '=', 'operations.workspace_id')
        .on('emails.id', '=', job.emailId)
        .on('emails.deleted_at', 'is', null),
    )
    .innerJoin('inboxes', join =>
      join
        .onRef('inboxes.workspace_id', '=', 'emails.workspace_id')
        .onRef('inboxes.id', '=', 'emails.inbox_id')
        .on('inboxes.deleted_at', 'is', null),
    )
    .where('operations.workspace_id', '=', job.workspaceId)
    .where('operations.id', '=', job.operationId)
    .where('operations.status', 'in', unfinished)
    .select([
      'emails.inbox_id as inboxId',
      'inboxes.address as inboxAddress',
      'inboxes.sender_policy as senderPolicy',
      'emails.envelope_from as envelopeFrom',
      'emails.received_at as receivedAt',
      'emails.labels',
      'emails.read',
      'emails.version',
      'emails.attachment_count as attachmentCount',
    ])
    .forUpdate(['operations', 'emails'])
    .executeTakeFirst()
  if (email) return email
  // Whatever of the two it was: an operation that is finished stays as it is.
  await finish(trx, job, deleted).where('status', 'in', unfinished).execute()
  return null
}

const deleted: Failure = {
  code: 'email_deleted',
  reason: 'The e-mail, or its inbox, was deleted before it was read.',
}

/** Says of a locked operation and its e-mail that the work has begun; in one statement. */
export async function startOperation(trx: Transaction<Tables>, job: EmailJob): Promise<void> {
  await trx
    .with('started', db =>
      db
        .updateTable('operations')
        .where('workspace_id', '=', job.workspaceId)
        .where('id', '=', job.operationId)
        .set({ status: 'running', started_at: sql<string>`coalesce(started_at, now())` })
        .returning('id'),
    )
    .updateTable('emails')
    .set({ status: 'processing', updated_at: sql<string>`now()` })
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', job.emailId)
    .execute()
}

/** Ends the operation; with a failure if there is one. */
export async function finishOperation(
  trx: Transaction<Tables>,
  job: EmailJob,
  failure: Failure | null,
): Promise<void> {
  await finish(trx, job, failure).execute()
}

function finish(trx: Transaction<Tables>, job: EmailJob, failure: Failure | null) {
  return trx
    .updateTable('operations')
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', job.operationId)
    .set({
      status: failure ? 'failed' : 'succeeded',
      error_code: failure?.code ?? null,
      error_detail: failure?.reason ?? null,
      started_at: sql<string>`coalesce(started_at, now())`,
      finished_at: sql<string>`now()`,
    })
}
