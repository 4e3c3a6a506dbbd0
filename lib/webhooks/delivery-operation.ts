import { sql, type Transaction } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { DeliveryJob } from '../jobs/queues.ts'

/** Why an attempt came to nothing: a code for programs, a sentence for people. */
export interface DeliveryFailure {
  readonly code: string
  readonly reason: string
}

/** Marks the operation of a job as running, where it has one. */
export async function startDeliveryOperation(trx: Transaction<Tables>, job: DeliveryJob): Promise<void> {
  if (job.operationId === null) return
  await unfinished(trx, job, job.operationId)
    .set({ status: 'running', started_at: sql<string>`coalesce(started_at, now())` })
    .execute()
}

/** Ends the operation of a job, where it has one that is not ended. */
export async function endDeliveryOperation(
  trx: Transaction<Tables>,
  job: DeliveryJob,
  failure: DeliveryFailure | null,
): Promise<void> {
  if (job.operationId === null) return
  await unfinished(trx, job, job.operationId)
    .set({
      status: failure ? 'failed' : 'succeeded',
      error_code: failure?.code ?? null,
      error_detail: failure?.reason ?? null,
      started_at: sql<string>`coalesce(started_at, now())`,
      finished_at: sql<string>`now()`,
    })
    .execute()
}

function unfinished(trx: Transaction<Tables>, { workspaceId }: DeliveryJob, operationId: string) {
  return trx
    .updateTable('operations')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', operationId)
    .where('status', 'in', ['queued', 'running'])
}
