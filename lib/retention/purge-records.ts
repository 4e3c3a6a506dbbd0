import { sql, type Transaction } from 'kysely'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { daysAgo } from './due-inboxes.ts'
import type { DueTenant } from './find-due-tenants.ts'
import type { Purge, PurgedKind } from './purge.ts'

/** Rows a transaction; events take their deliveries and attempts along. */
const batch = 500

const activity = {
  events: { table: 'events', time: 'created_at' },
  operations: { table: 'operations', time: 'finished_at' },
  erasures: { table: 'data_erasures', time: 'finished_at' },
  // Not before their deliveries, which they would take along.
  webhooks: { table: 'webhooks', time: 'deleted_at' },
} as const

/** Removes events with their deliveries, deleted webhooks, operations and erasures that are finished, past their time. */
export async function purgeActivity(purge: Purge, tenant: Tenant): Promise<void> {
  const { database, periods } = purge
  for (const kind of ['events', 'operations', 'erasures', 'webhooks'] as const) {
    const { table, time } = activity[kind]
    await removeAll(purge, kind, () =>
      database.inTenant(tenant, trx =>
        removeSome(
          trx,
          table,
          sql`workspace_id = ${tenant.workspaceId} and ${sql.ref(time)} < ${daysAgo(periods.activityDays)}`,
        ),
      ),
    )
  }
}

/**
 * Removes audit events past their time: a workspace's, or those of an organization as a whole. As the owner: the
 * application has no right to remove what is on record, and here nobody but the calendar decides.
 */
export async function purgeAuditEvents(
  purge: Purge,
  { organizationId, workspaceId }: DueTenant,
): Promise<void> {
  const { database, periods } = purge
  await removeAll(purge, 'audit_events', () =>
    database.asOwner(trx =>
      removeSome(
        trx,
        'audit_events',
        sql`organization_id = ${organizationId} and workspace_id is not distinct from ${workspaceId}
          and occurred_at < ${daysAgo(periods.auditDays)}`,
      ),
    ),
  )
}

async function removeAll(purge: Purge, kind: PurgedKind, remove: () => Promise<number>): Promise<void> {
  let removed = 0
  do {
    if (purge.signal.aborted) return
    removed = await remove()
    purge.count(kind, removed)
  } while (removed === batch)
}

async function removeSome(
  trx: Transaction<Tables>,
  table: 'events' | 'operations' | 'data_erasures' | 'webhooks' | 'audit_events',
  due: ReturnType<typeof sql>,
): Promise<number> {
  const result = await sql`
    with due as materialized (select ctid from ${sql.table(table)} where ${due} limit ${batch} for update skip locked)
    delete from ${sql.table(table)} where ctid in (select ctid from due)`.execute(trx)
  return Number(result.numAffectedRows ?? 0)
}
