import { sql, type Transaction } from 'kysely'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { toJson } from '../database/to-json.ts'
import { createId } from '../id/id.ts'
import { createDelivery } from './create-delivery.ts'
import type { EventType } from './event-types.ts'

/** Something that happened and that webhooks may be told. */
export interface NewEvent {
  readonly type: EventType
  /** A JSON object. Its member `email_id`, where there is one, ties the event to that e-mail's life. */
  readonly data: Readonly<Record<string, unknown>>
  /** Names the happening, uniquely within the workspace: publishing it again does nothing. */
  readonly key: string
}

/**
 * Records an event and enqueues its delivery to every enabled webhook of the workspace that subscribes to its
 * type, all in the caller's transaction: what is committed is told, what is rolled back is not. Publishing the
 * same key again does nothing, also when a webhook was added meanwhile.
 */
export async function publishEvent(
  trx: Transaction<Tables>,
  { organizationId, workspaceId }: Tenant,
  event: NewEvent,
): Promise<void> {
  const tenant = { organizationId, workspaceId }
  const eventId = await insertEvent(trx, tenant, event)
  if (eventId === null) return
  // Shared, so that a webhook that is being disabled or deleted at this moment is seen as it will be.
  const subscribers = await trx
    .selectFrom('webhooks')
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .where('enabled', '=', true)
    .where(sql<boolean>`${event.type} = any(event_types)`)
    .select('id')
    .forShare()
    .execute()
  for (const { id: webhookId } of subscribers) {
    await createDelivery(trx, tenant, { webhookId, eventId, type: event.type, operationId: null })
  }
}

/** The new event's id; null when its key has been published before. */
export async function insertEvent(
  trx: Transaction<Tables>,
  { organizationId, workspaceId }: Tenant,
  { type, data, key }: NewEvent,
): Promise<string | null> {
  const emailId = typeof data.email_id === 'string' ? data.email_id : null
  const row = await trx
    .insertInto('events')
    .values({
      id: createId('evt'),
      organization_id: organizationId,
      workspace_id: workspaceId,
      type,
      key,
      // Null for an e-mail that is not there: an event is not refused for what it says.
      email_id:
        emailId && sql`(select id from emails where workspace_id = ${workspaceId} and id = ${emailId})`,
      data: toJson(data),
    })
    .onConflict(conflict => conflict.columns(['workspace_id', 'key']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id ?? null
}
