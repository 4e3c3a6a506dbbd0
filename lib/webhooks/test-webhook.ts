import type { Transaction } from 'kysely'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { createId } from '../id/id.ts'
import { createOperation } from '../operations/repository.ts'
import type { Operation } from '../operations/schema.ts'
import { createDelivery } from './create-delivery.ts'
import { insertEvent } from './publish-event.ts'
import { lockWebhook, type WebhookTarget } from './webhook-row.ts'

/**
 * Sends a `webhook.test` event to one webhook, whatever it subscribes to, also while it is disabled: that is how one
 * finds out whether it would work. It is attempted once. Throws `not_found` or `precondition_failed`.
 */
export async function testWebhook(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { id: webhookId, ifMatch, createdBy }: WebhookTarget & { createdBy: string },
): Promise<Operation> {
  await lockWebhook(trx, tenant, { id: webhookId, ifMatch })
  const id = createId('dlv')
  const resource = { type: 'delivery', id }
  const operation = await createOperation(trx, tenant, { kind: 'webhook.test', resource, createdBy })
  const type = 'webhook.test'
  const event = { type, data: { webhook_id: webhookId }, key: `${type}:${operation.id}` } as const
  const eventId = await insertEvent(trx, tenant, event)
  if (eventId === null) throw new Error('the key of an operation that is new was used before')
  await createDelivery(trx, tenant, { id, webhookId, eventId, type, operationId: operation.id })
  return operation
}
