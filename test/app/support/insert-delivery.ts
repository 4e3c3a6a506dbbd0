import type { Transaction } from 'kysely'
import type { Tenant } from '../../../lib/database/database.ts'
import type { Tables } from '../../../lib/database/tables.ts'
import { createId } from '../../../lib/id/id.ts'

/** A webhook, an event, its delivery and one attempt; returns the delivery's id. */
export async function insertDelivery(trx: Transaction<Tables>, tenant: Tenant): Promise<string> {
  const owner = { organization_id: tenant.organizationId, workspace_id: tenant.workspaceId }
  const [webhook_id, event_id, delivery_id] = [createId('whk'), createId('evt'), createId('dlv')]
  const url = 'https://hooks.example.com/'
  const webhook = { id: webhook_id, url, event_types: ['email.processed'], secret: 'sealed' }
  await trx
    .insertInto('webhooks')
    .values({ ...owner, ...webhook })
    .execute()
  const event_type = 'email.processed'
  await trx
    .insertInto('events')
    .values({ ...owner, id: event_id, type: event_type, key: event_id, data: '{}' })
    .execute()
  await trx
    .insertInto('deliveries')
    .values({ ...owner, id: delivery_id, webhook_id, event_id, event_type })
    .execute()
  await trx
    .insertInto('delivery_attempts')
    .values({
      workspace_id: tenant.workspaceId,
      delivery_id,
      number: 1,
      latency_ms: 1,
      attempted_at: '2026-01-01T00:00:00Z',
    })
    .execute()
  return delivery_id
}
