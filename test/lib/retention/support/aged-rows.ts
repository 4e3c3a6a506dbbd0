import { sql } from 'kysely'
import type { Database } from '../../../../lib/database/database.ts'
import type { RetentionPeriods } from '../../../../lib/retention/periods.ts'
import { runRetention } from '../../../../lib/retention/run-retention.ts'

const silent = { info() {}, warn() {}, error() {} }

export const defaultPeriods: RetentionPeriods = { deletedDays: 7, auditDays: 365, activityDays: 90 }

/** One run, with the periods that an installation has by default. */
export async function purge(database: Database, periods: Partial<RetentionPeriods> = {}): Promise<void> {
  const { signal } = new AbortController()
  await runRetention({ database, log: silent, periods: { ...defaultPeriods, ...periods }, signal })
}

type Aged = 'emails' | 'inboxes' | 'operations' | 'audit_events'

/** Sets times to so many days ago, or to null, and `retention_days` to what is given. */
export async function age(
  database: Database,
  table: Aged,
  id: string,
  columns: Readonly<Record<string, number | null>>,
): Promise<void> {
  const changes = Object.entries(columns).map(([name, days]) => {
    const value =
      name === 'retention_days' ? sql`${days}::int` : sql`now() - make_interval(days => ${days}::int)`
    return sql`${sql.ref(name)} = ${value}`
  })
  await database.asOwner(trx =>
    sql`update ${sql.table(table)} set ${sql.join(changes)} where id = ${id}`.execute(trx),
  )
}

/** How many rows each table of tenants' data has. */
export async function countRows(database: Database): Promise<Record<string, number>> {
  const tables = [
    ...['inboxes', 'emails', 'email_sources', 'email_texts', 'attachments', 'attachment_contents'],
    ...['extractions', 'rules', 'rule_matches', 'operations', 'webhooks', 'events', 'deliveries'],
    ...['delivery_attempts', 'audit_events', 'data_erasures', 'allowed_senders'],
  ]
  const counts: Record<string, number> = {}
  for (const table of tables) {
    const { rows } = await database.pool.query<{ n: number }>(`select count(*)::int as n from ${table}`)
    counts[table] = rows[0]?.n ?? 0
  }
  return counts
}

export interface RecordedPurge {
  readonly workspace_id: string | null
  readonly outcome: string
  readonly counts: Record<string, number> | null
}

/** The events that runs left. */
export async function readPurges(database: Database): Promise<RecordedPurge[]> {
  return database.asOwner(trx =>
    trx
      .selectFrom('audit_events')
      .where('action', '=', 'retention.purge')
      .where('via', '=', 'system')
      .select(['workspace_id', 'outcome', 'counts'])
      .execute(),
  )
}
