import type { Transaction } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { DeliveryJob } from '../jobs/queues.ts'

/** A job's delivery, locked until the transaction ends; undefined where it was purged. */
export function lockDelivery(trx: Transaction<Tables>, { workspaceId, deliveryId }: DeliveryJob) {
  return trx
    .selectFrom('deliveries')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', deliveryId)
    .select(['id', 'webhook_id', 'event_id', 'event_type', 'status', 'attempt_count'])
    .forUpdate()
    .executeTakeFirst()
}
