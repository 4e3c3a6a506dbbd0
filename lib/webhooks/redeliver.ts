import { sql, type Transaction } from 'kysely'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { enqueueJob } from '../jobs/enqueue-job.ts'
import { createOperation, findUnfinishedOn } from '../operations/repository.ts'
import type { Operation } from '../operations/schema.ts'
import { problem } from '../problem/problem.ts'
import { deliveryNotFound, visibleDeliveries } from './deliveries.ts'
import { deliveryId } from './delivery-schema.ts'

const kind = 'webhook.deliver'
/** Every attempt is kept and shown. */
const mostAttempts = 100

/**
 * Makes one attempt at a delivery at once, whatever its state; the operation ends with it. A delivery that waits for
 * its next attempt goes on as planned when this one fails. While one is under way anyway, that is the answer. Throws
 * `not_found`, or `conflict` when its webhook is disabled or there were too many attempts.
 */
export async function redeliver(
  trx: Transaction<Tables>,
  { organizationId, workspaceId }: Tenant,
  { id, createdBy }: { id: string; createdBy: string },
): Promise<Operation> {
  const tenant = { organizationId, workspaceId }
  if (!deliveryId.safeParse(id).success) throw deliveryNotFound()
  const delivery = await visibleDeliveries(trx, tenant)
    .where('deliveries.id', '=', id)
    .select(['deliveries.attempt_count', 'deliveries.event_type', 'webhooks.enabled'])
    .forUpdate('deliveries')
    .executeTakeFirst()
  if (!delivery) throw deliveryNotFound()
  const resource = { type: 'delivery', id }
  const unfinished =
    (await findUnfinishedOn(trx, tenant, { kind, resource })) ??
    (await findUnfinishedOn(trx, tenant, { kind: 'webhook.test', resource }))
  if (unfinished) return unfinished
  if (!delivery.enabled && delivery.event_type !== 'webhook.test') {
    throw problem(
      'conflict',
      'The webhook of this delivery is disabled. Enable it with webhooks_update first.',
    )
  }
  if (delivery.attempt_count >= mostAttempts) {
    throw problem('conflict', `This delivery was attempted ${mostAttempts} times, the most that are allowed.`)
  }
  const operation = await createOperation(trx, tenant, { kind, resource, createdBy })
  await trx
    .updateTable('deliveries')
    .set({ next_attempt_at: sql<string>`now()` })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
  const attempt = delivery.attempt_count + 1
  await enqueueJob(trx, kind, {
    deliveryId: id,
    organizationId,
    workspaceId,
    attempt,
    operationId: operation.id,
  })
  return operation
}
