import { type Kysely, type RawBuilder, sql } from 'kysely'

/** Rows that belong to the workspace of the transaction. */
export const ofWorkspace = sql`workspace_id = current_setting('app.workspace_id', true)`

/** Rows that belong to the organization of the transaction. */
export const ofOrganization = sql`organization_id = current_setting('app.organization_id', true)`

/**
 * Gives a table to the application's role under one policy, for reading and writing alike. Outside a scope the
 * setting is null or empty, which no row equals. The table's owner is not bound by it.
 *
 * @param privileges what the role may do at all, as in `grant`
 */
export async function isolate(
  db: Kysely<unknown>,
  table: string,
  { rows, privileges }: { rows: RawBuilder<unknown>; privileges: string },
): Promise<void> {
  await sql`alter table ${sql.table(table)} enable row level security`.execute(db)
  await sql`create policy tenant on ${sql.table(table)} to kobana_app using (${rows}) with check (${rows})`.execute(
    db,
  )
  await sql`grant ${sql.raw(privileges)} on ${sql.table(table)} to kobana_app`.execute(db)
}
