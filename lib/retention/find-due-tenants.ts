import { sql } from 'kysely'
import type { Database, Tenant } from '../database/database.ts'
import { daysAgo, isDueInbox } from './due-inboxes.ts'
import type { RetentionPeriods } from './periods.ts'

/** A workspace with something to purge, or, where `workspaceId` is null, an organization's own record. */
export type DueTenant = Tenant | { readonly organizationId: string; readonly workspaceId: null }

/** Who has something to purge. As the owner: only it sees all tenants at once. It reads ids and changes nothing. */
export async function findDueTenants(
  database: Database,
  periods: RetentionPeriods,
): Promise<readonly DueTenant[]> {
  const { rows } = await database.asOwner(trx => dueTenants(periods).execute(trx))
  return rows
}

export function dueTenants({ deletedDays, auditDays, activityDays }: RetentionPeriods) {
  return sql<DueTenant>`
    select i.organization_id as "organizationId", i.workspace_id as "workspaceId" from inboxes i
      where ${isDueInbox(deletedDays)}
    union select organization_id, workspace_id from events where created_at < ${daysAgo(activityDays)}
    union select organization_id, workspace_id from operations where finished_at < ${daysAgo(activityDays)}
    union select organization_id, workspace_id from data_erasures where finished_at < ${daysAgo(activityDays)}
    union select organization_id, workspace_id from webhooks where deleted_at < ${daysAgo(activityDays)}
    union select organization_id, workspace_id from audit_events where occurred_at < ${daysAgo(auditDays)}`
}
