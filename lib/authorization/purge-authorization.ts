import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database/database.ts'

/** Rows a transaction. */
const batch = 500

type Table = 'oauth_records' | 'oauth_grants' | 'oauth_clients' | 'oauth_keys'

/**
 * What is of no more use, a day after it ended, so that clocks may differ: records and consents past their time, keys
 * whose last tokens are gone, clients that nobody used within a day, or for as long as a consent lasts. A consent goes
 * before its client does.
 */
const due: Readonly<Record<Table, RawBuilder<unknown>>> = {
  oauth_records: sql`expires_at < now() - interval '1 day'`,
  oauth_grants: sql`expires_at < now() - interval '1 day'`,
  oauth_clients: sql`(last_used_at is null and created_at < now() - interval '1 day')
    or last_used_at < now() - interval '91 days'`,
  oauth_keys: sql`exists (select from oauth_keys newer
    where newer.active_from > oauth_keys.active_from and newer.active_from < now() - interval '1 day')`,
}

/**
 * Removes for good what the authorization server has no more use for, in small transactions, and says how much of each.
 * As the owner, who alone reaches these tables: they are nobody's data, so that nobody's record has to say it.
 */
export async function purgeAuthorization(
  database: Database,
  signal: AbortSignal,
): Promise<Partial<Record<Table, number>>> {
  const counts: Partial<Record<Table, number>> = {}
  for (const table of ['oauth_records', 'oauth_grants', 'oauth_clients', 'oauth_keys'] as const) {
    let removed = batch
    while (removed === batch && !signal.aborted) {
      removed = await removeSome(database, table)
      if (removed > 0) counts[table] = (counts[table] ?? 0) + removed
    }
  }
  return counts
}

async function removeSome(database: Database, table: Table): Promise<number> {
  const result = await database.asOwner(trx =>
    sql`with due as materialized (
        select ctid from ${sql.table(table)} where ${due[table]} limit ${batch} for update skip locked)
      delete from ${sql.table(table)} where ctid in (select ctid from due)`.execute(trx),
  )
  return Number(result.numAffectedRows ?? 0)
}
