import { sql } from 'kysely'
import type { Database, Tenant } from '../../../lib/database/database.ts'
import { createId } from '../../../lib/id/id.ts'
import { createSecretBox } from '../../../lib/secrets/secret-box.ts'
import { insertEvent } from '../../../lib/webhooks/publish-event.ts'
import { createWebhook } from '../../../lib/webhooks/repository.ts'
import { secretsKey } from '../plumbing/start-app.ts'
import type { TwoOrganizations } from '../support/seed-two-organizations.ts'
import type { Call } from './call-both.ts'

export interface WebhookRecords {
  readonly webhookId: string
  readonly deliveryId: string
  /** Of another organization. */
  readonly foreignWebhookId: string
  readonly foreignDeliveryId: string
}

const url = 'https://hooks.example.com/inbox'

export async function createWebhookRecords(
  database: Database,
  people: TwoOrganizations,
): Promise<WebhookRecords> {
  const own = await createPair(database, people.billing)
  const foreign = await createPair(database, people.main)
  return { ...own, foreignWebhookId: foreign.webhookId, foreignDeliveryId: foreign.deliveryId }
}

export function createWebhookCalls(records: WebhookRecords): readonly Call[] {
  const { webhookId, deliveryId, foreignWebhookId, foreignDeliveryId } = records
  const webhooks = [webhookId, createId('whk'), foreignWebhookId, 'x']
  const deliveries = [deliveryId, createId('dlv'), foreignDeliveryId]
  const body = { url, event_types: ['email.processed'] }
  return [
    { tool: 'webhooks_list', method: 'GET', url: '/webhooks?limit=1', args: { limit: 1 } },
    { tool: 'webhooks_list', method: 'GET', url: '/webhooks?limit=0', args: { limit: 0 } },
    ...webhooks.map(id => call('webhooks_get', 'GET', `/webhooks/${id}`, { id })),
    { tool: 'webhooks_create', method: 'POST', url: '/webhooks', body, args: body },
    { tool: 'webhooks_create', method: 'POST', url: '/webhooks', body: {}, args: {} },
    ...webhooks.map(id => call('webhooks_update', 'PATCH', `/webhooks/${id}`, { id }, { enabled: true })),
    call('webhooks_update', 'PATCH', `/webhooks/${webhookId}`, { id: webhookId }, { enabled: 'perhaps' }),
    ...webhooks.map(id =>
      call('webhooks_rotate_secret', 'POST', `/webhooks/${id}/rotate-secret`, { id }, { overlap_hours: 1 }),
    ),
    ...webhooks.map(id => call('webhooks_test', 'POST', `/webhooks/${id}/test`, { id })),
    { tool: 'deliveries_list', method: 'GET', url: '/deliveries?limit=2', args: { limit: 2 } },
    { tool: 'deliveries_list', method: 'GET', url: '/deliveries?status=lost', args: { status: 'lost' } },
    ...deliveries.map(id => call('deliveries_get', 'GET', `/deliveries/${id}`, { id })),
    ...deliveries.map(id => call('deliveries_redeliver', 'POST', `/deliveries/${id}/redeliver`, { id })),
    ...[...webhooks].reverse().map(id => call('webhooks_delete', 'DELETE', `/webhooks/${id}`, { id })),
  ]
}

function call(
  tool: string,
  method: Call['method'],
  path: string,
  ids: Readonly<Record<string, string>>,
  body?: Readonly<Record<string, unknown>>,
): Call {
  return { tool, method, url: path, args: { ...ids, ...body }, ...(body && { body }) }
}

/** Those of the calls before are deleted: a workspace has only so many. */
async function createPair(database: Database, tenant: Tenant) {
  const settings = { secretBox: createSecretBox([secretsKey]), allowPrivate: false }
  return database.inTenant(tenant, async trx => {
    await trx.updateTable('webhooks').set({ deleted_at: sql<string>`now()` }).execute()
    const webhook = { url, event_types: ['email.processed' as const] }
    const { id: webhookId } = await createWebhook(trx, tenant, { webhook, settings })
    const event = { type: 'email.processed', key: createId('evt'), data: {} } as const
    const deliveryId = createId('dlv')
    await trx
      .insertInto('deliveries')
      .values({
        id: deliveryId,
        organization_id: tenant.organizationId,
        workspace_id: tenant.workspaceId,
        webhook_id: webhookId,
        event_id: (await insertEvent(trx, tenant, event)) ?? '',
        event_type: event.type,
        status: 'dead',
        failure_code: 'http_error',
      })
      .execute()
    return { webhookId, deliveryId }
  })
}
