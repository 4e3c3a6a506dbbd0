import { sql, type Transaction } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { enqueueJob } from '../jobs/enqueue-job.ts'
import type { DeliveryJob } from '../jobs/queues.ts'
import { endAsAttempted } from './claim-attempt.ts'
import { endDeliveryOperation } from './delivery-operation.ts'
import { lockDelivery } from './lock-delivery.ts'
import { recordFailure, recordSuccess } from './record-health.ts'
import { type DeliverySchedule, toNextAttempt } from './schedule.ts'
import type { AttemptResult } from './send-message.ts'
import { toFailure } from './to-failure.ts'

/**
 * Writes down what came of an attempt and, where it failed, when the next one is. Two runs of the same job may both
 * have sent; the first to come here is recorded.
 */
export async function recordAttempt(
  trx: Transaction<Tables>,
  job: DeliveryJob,
  { result, schedule }: { result: AttemptResult; schedule: DeliverySchedule },
): Promise<void> {
  const delivery = await lockDelivery(trx, job)
  if (!delivery || delivery.attempt_count + 1 !== job.attempt) return endAsAttempted(trx, job)
  await insertAttempt(trx, job, result)

  const { errorCode } = result
  const isTest = delivery.event_type === 'webhook.test'
  if (errorCode === null) {
    await settle(trx, job, { status: 'succeeded', code: null })
    await recordSuccess(trx, job, delivery.webhook_id)
  } else {
    const isLast = isTest || errorCode === 'gone' || delivery.status !== 'pending'
    const failed = { attempt: job.attempt, retryAfter: result.retryAfter }
    const wait = isLast ? null : toNextAttempt(schedule, failed)
    if (wait !== null) await postpone(trx, job, wait)
    // What was asked for once more and fails leaves a delivery as it was.
    else if (delivery.status === 'pending') await settle(trx, job, { status: 'dead', code: errorCode })
    else await countAttempt(trx, job).set({ next_attempt_at: null }).execute()
    const webhookId = delivery.webhook_id
    await recordFailure(trx, job, { webhookId, errorCode, isTest, giveUpAfter: schedule.giveUpAfter })
  }
  await endDeliveryOperation(trx, job, toFailure(errorCode, result.status))
}

async function insertAttempt(
  trx: Transaction<Tables>,
  { workspaceId, deliveryId, attempt }: DeliveryJob,
  { status, latencyMs, excerpt, errorCode, attemptedAt }: AttemptResult,
): Promise<void> {
  await trx
    .insertInto('delivery_attempts')
    .values({
      workspace_id: workspaceId,
      delivery_id: deliveryId,
      number: attempt,
      status,
      latency_ms: latencyMs,
      response_excerpt: excerpt,
      error_code: errorCode,
      attempted_at: attemptedAt,
    })
    .execute()
}

async function settle(
  trx: Transaction<Tables>,
  job: DeliveryJob,
  { status, code }: { status: 'succeeded' | 'dead'; code: string | null },
): Promise<void> {
  await countAttempt(trx, job)
    .set({ status, failure_code: code, next_attempt_at: null, finished_at: sql<string>`now()` })
    .execute()
}

async function postpone(trx: Transaction<Tables>, job: DeliveryJob, wait: number): Promise<void> {
  await countAttempt(trx, job)
    .set({ next_attempt_at: sql<string>`now() + ${wait}::float8 * interval '1 second'` })
    .execute()
  const next = { ...job, attempt: job.attempt + 1, operationId: null }
  await enqueueJob(trx, 'webhook.deliver', next, { startAfter: wait })
}

function countAttempt(trx: Transaction<Tables>, { workspaceId, deliveryId, attempt }: DeliveryJob) {
  return trx
    .updateTable('deliveries')
    .set({ attempt_count: attempt })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', deliveryId)
}
