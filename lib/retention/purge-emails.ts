import { sql, type Transaction } from 'kysely'
import type { Database, Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { daysAgo, isDueInbox } from './due-inboxes.ts'
import type { Purge } from './purge.ts'

/** E-mails a transaction: with their bytes, which may be many megabytes each. */
const batch = 50

/**
 * Removes e-mails past their time, and with them, by the references of their tables, bytes, texts, attachments,
 * extractions, matches of rules, events and deliveries; then inboxes that were deleted long ago.
 */
export async function purgeEmails(purge: Purge, tenant: Tenant): Promise<void> {
  const { database, periods } = purge
  for (const inboxId of await findDueInboxes(database, tenant, periods.deletedDays)) {
    let removed = { emails: 0, bytes: 0 }
    do {
      if (purge.signal.aborted) return
      removed = await database.inTenant(tenant, trx =>
        removeEmails(trx, tenant, { inboxId, deletedDays: periods.deletedDays }),
      )
      purge.count('emails', removed.emails)
      purge.count('bytes', removed.bytes)
    } while (removed.emails === batch)
    const inboxes = await database.inTenant(tenant, trx =>
      removeInbox(trx, tenant, { inboxId, deletedDays: periods.deletedDays }),
    )
    purge.count('inboxes', inboxes)
  }
}

async function findDueInboxes(database: Database, tenant: Tenant, deletedDays: number): Promise<string[]> {
  const { rows } = await database.inTenant(tenant, trx =>
    sql<{ id: string }>`select i.id from inboxes i
      where i.workspace_id = ${tenant.workspaceId} and ${isDueInbox(deletedDays)}`.execute(trx),
  )
  return rows.map(({ id }) => id)
}

interface Target {
  readonly inboxId: string
  readonly deletedDays: number
}

/** What somebody is working on at this moment is left for the next run rather than waited for. */
async function removeEmails(
  trx: Transaction<Tables>,
  { workspaceId }: Tenant,
  { inboxId, deletedDays }: Target,
): Promise<{ emails: number; bytes: number }> {
  const deletedLongAgo = daysAgo(deletedDays)
  // Materialized, because a limit in a plain subquery holds for each time that the planner has it run.
  const { rows } = await sql<{ size_bytes: number }>`
    with due as materialized (
      select e.id from emails e
      join inboxes i on i.workspace_id = e.workspace_id and i.id = e.inbox_id
      where e.workspace_id = ${workspaceId} and e.inbox_id = ${inboxId} and (
        i.deleted_at < ${deletedLongAgo}
        or e.deleted_at < ${deletedLongAgo}
        or e.received_at < ${daysAgo(sql<number>`i.retention_days`)})
      limit ${batch} for update of e skip locked)
    delete from emails where workspace_id = ${workspaceId} and id in (select id from due)
    returning size_bytes`.execute(trx)
  return { emails: rows.length, bytes: rows.reduce((sum, { size_bytes }) => sum + size_bytes, 0) }
}

async function removeInbox(
  trx: Transaction<Tables>,
  { workspaceId }: Tenant,
  { inboxId, deletedDays }: Target,
): Promise<number> {
  const result = await trx
    .deleteFrom('inboxes')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', inboxId)
    .where('deleted_at', '<', daysAgo(deletedDays))
    .where(
      sql<boolean>`not exists (select from emails e where e.workspace_id = ${workspaceId} and e.inbox_id = ${inboxId})`,
    )
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}
