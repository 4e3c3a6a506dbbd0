import { sql, type Transaction } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { EmailJob } from '../jobs/queues.ts'

/** Why something came to nothing: a code for programs, a sentence for people. */
export interface Failure {
  readonly code: string
  readonly reason: string
}

/** The e-mail of a job, as far as the worker decides on it. */
export interface LockedEmail {
  readonly inboxId: string
  readonly envelopeFrom: string | null
}

/**
 * Locks a job's e-mail and operation until the transaction ends. Null when there is nothing left to do:
 * another run has finished the operation, or the e-mail is deleted, which finishes it here. So a job may run
 * twice, or two runs of it side by side, and one of them takes effect.
 */
export async function lockUnfinished(trx: Transaction<Tables>, job: EmailJob): Promise<LockedEmail | null> {
  const email = await trx
    .selectFrom('emails')
    .innerJoin('inboxes', join =>
      join
        .onRef('inboxes.workspace_id', '=', 'emails.workspace_id')
        .onRef('inboxes.id', '=', 'emails.inbox_id'),
    )
    .where('emails.workspace_id', '=', job.workspaceId)
    .where('emails.id', '=', job.emailId)
    .where('emails.deleted_at', 'is', null)
    .where('inboxes.deleted_at', 'is', null)
    .select(['emails.inbox_id as inboxId', 'emails.envelope_from as envelopeFrom'])
    .forUpdate('emails')
    .executeTakeFirst()
  const operation = await trx
    .selectFrom('operations')
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', job.operationId)
    .where('status', 'in', ['queued', 'running'])
    .select('id')
    .forUpdate()
    .executeTakeFirst()
  if (!operation) return null
  if (!email) await finishOperation(trx, job, deleted)
  return email ?? null
}

const deleted: Failure = {
  code: 'email_deleted',
  reason: 'The e-mail, or its inbox, was deleted before it was read.',
}

export async function startOperation(trx: Transaction<Tables>, job: EmailJob): Promise<void> {
  await operationOf(trx, job)
    .set({ status: 'running', started_at: sql<string>`coalesce(started_at, now())` })
    .execute()
}

/** Ends the operation; with a failure if there is one. */
export async function finishOperation(
  trx: Transaction<Tables>,
  job: EmailJob,
  failure: Failure | null,
): Promise<void> {
  await operationOf(trx, job)
    .set({
      status: failure ? 'failed' : 'succeeded',
      error_code: failure?.code ?? null,
      error_detail: failure?.reason ?? null,
      started_at: sql<string>`coalesce(started_at, now())`,
      finished_at: sql<string>`now()`,
    })
    .execute()
}

function operationOf(trx: Transaction<Tables>, job: EmailJob) {
  return trx
    .updateTable('operations')
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', job.operationId)
}
