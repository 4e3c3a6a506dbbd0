import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { toJson } from '../database/to-json.ts'
import { createId } from '../id/id.ts'
import type { AuditResource, NewAuditEvent } from './new-event.ts'

/** Records events in the caller's transaction, in one statement. They are there if and when it commits. */
export async function recordEvents(
  trx: Transaction<Tables>,
  events: readonly NewAuditEvent[],
): Promise<void> {
  if (events.length > 0) await toInsertion(events.map(toEventRow)).execute(trx)
}

/**
 * The statement that records events, which were made before: their ids and their time are of then. It is the same for
 * any number of them, so that an engine which keeps statements prepared keeps one.
 */
export function toInsertion(rows: readonly EventRow[]): RawBuilder<unknown> {
  const columns = sql.join(Object.keys(rows[0] ?? {}).map(name => sql.ref(name)))
  return sql`insert into audit_events (${columns})
    select ${columns} from jsonb_populate_recordset(null::audit_events, ${toJson(rows)}::jsonb)`
}

/** What the system did by itself, such as removing what is past its time. */
export interface SystemEvent {
  /** A word with a dot, such as `retention.purge`, so that it is never taken for an operation. */
  readonly action: string
  readonly resource?: AuditResource
  /** Default: succeeded. */
  readonly outcome?: 'succeeded' | 'failed'
  /** Why it failed. */
  readonly code?: string
  /** How much was done: numbers only, by a word each. */
  readonly counts?: Readonly<Record<string, number>>
}

/**
 * Records what the system did, in the transaction in which it did it: to a workspace, or, where `owner` has no
 * workspace, to an organization.
 */
export async function recordSystemEvent(
  trx: Transaction<Tables>,
  owner: Tenant | { readonly organizationId: string },
  { action, resource, outcome, code, counts }: SystemEvent,
): Promise<void> {
  const event: NewAuditEvent = {
    organizationId: owner.organizationId,
    workspaceId: 'workspaceId' in owner ? owner.workspaceId : null,
    actorId: null,
    clientId: null,
    client: null,
    via: 'system',
    action,
    resource: resource ?? null,
    outcome: outcome ?? 'succeeded',
    code: code ?? null,
    status: null,
    replayed: false,
    counts: counts ?? null,
    requestId: null,
  }
  await recordEvents(trx, [event])
}

export type EventRow = ReturnType<typeof toEventRow>

/** The event as it happens now: its id and its time. */
export function toEventRow(event: NewAuditEvent) {
  return {
    id: createId('aud'),
    organization_id: event.organizationId,
    workspace_id: event.workspaceId,
    // Not the beginning of the transaction, which may have waited for others.
    occurred_at: new Date().toISOString(),
    actor_id: event.actorId,
    client_id: event.clientId,
    client_name: event.client?.name ?? null,
    client_version: event.client?.version ?? null,
    via: event.via,
    action: event.action,
    resource_type: event.resource?.type ?? null,
    resource_id: event.resource?.id ?? null,
    outcome: event.outcome,
    code: event.code,
    status: event.status,
    replayed: event.replayed,
    counts: event.counts,
    request_id: event.requestId,
  }
}
