import { sql, type Transaction } from 'kysely'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { createId } from '../id/id.ts'
import { enqueueJob } from '../jobs/enqueue-job.ts'
import type { EventType } from './event-types.ts'

export interface NewDelivery {
  /** A new one unless given. */
  readonly id?: string
  readonly webhookId: string
  readonly eventId: string
  readonly type: EventType
  /** The operation that ends with the first attempt, if somebody waits for one. */
  readonly operationId: string | null
}

/** A delivery of an event to a webhook, and the job of its first attempt. Returns its id. */
export async function createDelivery(
  trx: Transaction<Tables>,
  { organizationId, workspaceId }: Tenant,
  { id = createId('dlv'), webhookId, eventId, type, operationId }: NewDelivery,
): Promise<string> {
  await trx
    .insertInto('deliveries')
    .values({
      id,
      organization_id: organizationId,
      workspace_id: workspaceId,
      webhook_id: webhookId,
      event_id: eventId,
      event_type: type,
      next_attempt_at: sql<string>`now()`,
    })
    .execute()
  await enqueueJob(trx, 'webhook.deliver', {
    deliveryId: id,
    organizationId,
    workspaceId,
    attempt: 1,
    operationId,
  })
  return id
}
