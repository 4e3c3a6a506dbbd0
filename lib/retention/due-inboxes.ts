import { type RawBuilder, sql } from 'kysely'

/** So many days ago, by the database's clock. */
export function daysAgo(days: number | RawBuilder<number>): RawBuilder<string> {
  return sql<string>`(now() - make_interval(days => ${days}::int))`
}

/**
 * Inboxes, as `i`, that hold something to purge: e-mails past the inbox's own time, whether they are visible or
 * deleted; e-mails deleted long enough ago; or the inbox itself. Each is one probe of an index.
 */
export function isDueInbox(deletedDays: number): RawBuilder<boolean> {
  const emails = sql`select from emails e where e.workspace_id = i.workspace_id and e.inbox_id = i.id`
  const expired = sql`e.received_at < ${daysAgo(sql<number>`i.retention_days`)}`
  return sql<boolean>`(
    i.deleted_at < ${daysAgo(deletedDays)}
    or (i.retention_days is not null and (
      exists (${emails} and e.deleted_at is null and ${expired})
      or exists (${emails} and e.deleted_at is not null and ${expired})))
    or exists (${emails} and e.deleted_at is not null and e.deleted_at < ${daysAgo(deletedDays)}))`
}
