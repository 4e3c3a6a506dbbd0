import { DEFAULT_MIGRATION_TABLE, Kysely, Migrator, PostgresDialect } from 'kysely'
import type { Pool } from 'pg'
import { ensureApplicationRole } from './application-role.ts'
import { migrations } from './migrations/index.ts'

/**
 * Brings the schema up to date, all of it or nothing, and returns the names of what ran. Several processes may
 * do it at once: they wait for each other. The pool's user must own the database and, the first time on a
 * server, be allowed to create a role.
 */
export async function migrateToLatest(pool: Pool): Promise<string[]> {
  await ensureApplicationRole(pool)
  const executed = await readExecuted(pool)
  // The usual case, at every start; names that are not known here are for the migrator to refuse.
  if (executed.size === names.length && names.every(name => executed.has(name))) return []
  const { error, results = [] } = await createMigrator(pool).migrateToLatest()
  const failed = results.find(result => result.status === 'Error')
  if (failed) throw new Error(`migration ${failed.migrationName} failed`, { cause: error })
  if (error) throw error
  return results.map(result => result.migrationName)
}

/** The names of the migrations that have not run, in order. Changes nothing. */
export async function pendingMigrations(pool: Pool): Promise<string[]> {
  const executed = await readExecuted(pool)
  return names.filter(name => !executed.has(name))
}

const names = Object.keys(migrations).sort()

/** What the migrator has noted. It would read the whole catalogue first, which takes most of a start. */
async function readExecuted(pool: Pool): Promise<ReadonlySet<string>> {
  const { rows: tables } = await pool.query(
    `select where to_regclass('${DEFAULT_MIGRATION_TABLE}') is not null`,
  )
  if (tables.length === 0) return new Set()
  const { rows } = await pool.query<{ name: string }>(`select name from ${DEFAULT_MIGRATION_TABLE}`)
  return new Set(rows.map(({ name }) => name))
}

function createMigrator(pool: Pool): Migrator {
  // Not destroyed: that would end the pool, which is its owner's to end.
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  return new Migrator({ db, provider: { getMigrations: async () => migrations } })
}
