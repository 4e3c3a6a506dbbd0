import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** Whether a row of `emails` has a label, exactly as it is written. */
export function hasLabel(label: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`emails.id in (select email_id from email_search where labels @> array[${label}]::text[])`
}
