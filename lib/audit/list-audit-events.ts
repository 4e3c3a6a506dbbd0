import { type Selectable, type SelectQueryBuilder, sql, type Transaction } from 'kysely'
import { z } from 'zod'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { timestampInput } from '../fields/timestamp.ts'
import { parseCursor } from '../paging/cursor.ts'
import { type Page, toPage } from '../paging/page.ts'
import { type AuditEvent, type AuditEventsQuery, auditEventId } from './schema.ts'

/**
 * One page of what happened in the workspace and to its organization as a whole, newest first. Throws
 * `validation_failed` for another list's cursor.
 */
export async function listAuditEvents(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { limit, cursor, ...filters }: AuditEventsQuery,
): Promise<Page<AuditEvent>> {
  const listing = { operation: 'audit_events_list', owner: tenant.workspaceId, filters }
  const behind = cursor === undefined ? null : parseCursor(listing, cursor, position)
  // Two lists that are each read in order and no further, then merged: with `or`, the whole of both would be sorted.
  const newest = (query: Events) => narrow(query, { filters, behind, most: limit + 1 })
  const { organizationId, workspaceId } = tenant
  const events = trx.selectFrom('audit_events').where('organization_id', '=', organizationId)
  const own = events.where('workspace_id', '=', workspaceId)
  const shared = events.where('workspace_id', 'is', null)
  const all = trx
    .selectFrom(newest(own).as('own'))
    .selectAll()
    .unionAll(trx.selectFrom(newest(shared).as('shared')).selectAll())
  const rows = await trx
    .selectFrom(all.as('events'))
    .selectAll()
    .orderBy('occurred_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return toPage(rows.map(toEvent), { limit, listing, position: row => [row.occurred_at, row.id] })
}

const position = z.tuple([timestampInput, auditEventId])

const eventColumns = [
  'id',
  'occurred_at',
  'workspace_id',
  'actor_id',
  'client_id',
  'client_name',
  'client_version',
  'via',
  'action',
  'resource_type',
  'resource_id',
  'outcome',
  'code',
  'status',
  'replayed',
  'counts',
  'request_id',
] as const

type Events = SelectQueryBuilder<Tables, 'audit_events', object>
type EventRow = Pick<Selectable<Tables['audit_events']>, (typeof eventColumns)[number]>

interface Narrowing {
  readonly filters: Omit<AuditEventsQuery, 'limit' | 'cursor'>
  readonly behind: readonly [string, string] | null
  readonly most: number
}

const equals = ['actor_id', 'action', 'resource_type', 'resource_id', 'outcome', 'via'] as const

function narrow(events: Events, { filters, behind, most }: Narrowing) {
  let query = events
  for (const name of equals) {
    const value = filters[name]
    if (value !== undefined) query = query.where(name, '=', value)
  }
  if (filters.after !== undefined) query = query.where('occurred_at', '>=', filters.after)
  if (filters.before !== undefined) query = query.where('occurred_at', '<', filters.before)
  if (behind) query = query.where(sql<boolean>`(occurred_at, id) < (${behind[0]}::timestamptz, ${behind[1]})`)
  return query.select(eventColumns).orderBy('occurred_at', 'desc').orderBy('id', 'desc').limit(most)
}

/** Member by member, as `toEmail`, and for the same reason. */
function toEvent(row: EventRow): AuditEvent {
  const { client_name, resource_type, resource_id } = row
  return {
    id: row.id,
    occurred_at: row.occurred_at,
    workspace_id: row.workspace_id,
    actor_id: row.actor_id,
    client_id: row.client_id,
    client: client_name === null ? null : { name: client_name, version: row.client_version },
    via: row.via,
    action: row.action,
    resource: resource_type && resource_id ? { type: resource_type, id: resource_id } : null,
    outcome: row.outcome,
    code: row.code,
    status: row.status,
    replayed: row.replayed,
    counts: row.counts,
    request_id: row.request_id,
  }
}
