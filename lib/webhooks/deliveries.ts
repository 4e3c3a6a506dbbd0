import { sql, type Transaction } from 'kysely'
import { z } from 'zod'
import type { Tenant } from '../database/database.ts'
import type { DeliveryStatus, Tables } from '../database/tables.ts'
import { parseCursor } from '../paging/cursor.ts'
import { type Page, toPage } from '../paging/page.ts'
import { problem } from '../problem/problem.ts'
import {
  type DeliveriesQuery,
  type Delivery,
  type DeliveryWithAttempts,
  deliveryId,
} from './delivery-schema.ts'
import { toFailure } from './to-failure.ts'

/** One page of the workspace's deliveries, newest first. Throws `validation_failed` for another list's cursor. */
export async function listDeliveries(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { limit, cursor, ...filters }: DeliveriesQuery,
): Promise<Page<Delivery>> {
  const listing = { operation: 'deliveries_list', owner: tenant.workspaceId, filters }
  let query = filtered(trx, tenant, filters)
  if (cursor !== undefined) {
    const [id] = parseCursor(listing, cursor, z.tuple([deliveryId]))
    query = query.where('deliveries.id', '<', id)
  }
  const rows = await query
    .select(deliveryColumns)
    .orderBy('deliveries.id', 'desc')
    .limit(limit + 1)
    .execute()
  return toPage(rows.map(toDelivery), { limit, listing, position: row => [row.id] })
}

/** One delivery with every attempt. Throws `not_found`. */
export async function getDelivery(
  trx: Transaction<Tables>,
  tenant: Tenant,
  id: string,
): Promise<DeliveryWithAttempts> {
  if (!deliveryId.safeParse(id).success) throw deliveryNotFound()
  const row = await visibleDeliveries(trx, tenant)
    .where('deliveries.id', '=', id)
    .select(deliveryColumns)
    .executeTakeFirst()
  if (!row) throw deliveryNotFound()
  const attempts = await trx
    .selectFrom('delivery_attempts')
    .where('workspace_id', '=', tenant.workspaceId)
    .where('delivery_id', '=', id)
    .select(['number', 'attempted_at', 'status', 'latency_ms', 'error_code', 'response_excerpt'])
    .orderBy('number')
    .execute()
  return { ...toDelivery(row), attempts }
}

/** Those of webhooks that are not deleted: with a webhook its deliveries are hidden. */
export function visibleDeliveries(trx: Transaction<Tables>, tenant: Tenant) {
  return trx
    .selectFrom('deliveries')
    .innerJoin('webhooks', join =>
      join
        .onRef('webhooks.workspace_id', '=', 'deliveries.workspace_id')
        .onRef('webhooks.id', '=', 'deliveries.webhook_id'),
    )
    .innerJoin('events', join =>
      join
        .onRef('events.workspace_id', '=', 'deliveries.workspace_id')
        .onRef('events.id', '=', 'deliveries.event_id'),
    )
    .where('deliveries.workspace_id', '=', tenant.workspaceId)
    .where('webhooks.deleted_at', 'is', null)
}

/** One answer for ids that never existed, that are malformed, deleted or another tenant's: it tells nothing. */
export function deliveryNotFound() {
  return problem('not_found', 'There is no such delivery in this workspace.')
}

const deliveryColumns = [
  'deliveries.id',
  'deliveries.webhook_id',
  'webhooks.url as webhook_url',
  'deliveries.event_id',
  'deliveries.event_type',
  'events.email_id',
  'deliveries.status',
  'deliveries.failure_code',
  'deliveries.attempt_count',
  'deliveries.next_attempt_at',
  'deliveries.created_at',
  'deliveries.finished_at',
] as const

type Filters = Omit<DeliveriesQuery, 'limit' | 'cursor'>

function filtered(trx: Transaction<Tables>, tenant: Tenant, filters: Filters) {
  let query = visibleDeliveries(trx, tenant)
  if (filters.webhook_id) query = query.where('deliveries.webhook_id', '=', filters.webhook_id)
  if (filters.status) query = query.where('deliveries.status', '=', filters.status)
  if (filters.event_type) query = query.where('deliveries.event_type', '=', filters.event_type)
  if (filters.email_id) query = query.where('events.email_id', '=', filters.email_id)
  if (filters.created_after) query = query.where('deliveries.created_at', '>=', filters.created_after)
  if (!filters.created_before) return query
  return query.where('deliveries.created_at', '<', sql<string>`${filters.created_before}::timestamptz`)
}

function toDelivery<Row extends { status: DeliveryStatus; failure_code: string | null }>({
  failure_code,
  ...row
}: Row): Omit<Row, 'failure_code'> & { failure: Delivery['failure'] } {
  return { ...row, failure: row.status === 'dead' ? toFailure(failure_code, null) : null }
}
