import { Kysely, type MigrationInfo, Migrator, PostgresDialect } from 'kysely'
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
  const { error, results = [] } = await createMigrator(pool).migrateToLatest()
  const failed = results.find(result => result.status === 'Error')
  if (failed) throw new Error(`migration ${failed.migrationName} failed`, { cause: error })
  if (error) throw error
  return results.map(result => result.migrationName)
}

/** The names of the migrations that have not run, in order. Changes nothing. */
export async function pendingMigrations(pool: Pool): Promise<string[]> {
  const all = await createMigrator(pool).getMigrations()
  return all.filter(isPending).map(migration => migration.name)
}

function createMigrator(pool: Pool): Migrator {
  // Not destroyed: that would end the pool, which is its owner's to end.
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  return new Migrator({ db, provider: { getMigrations: async () => migrations } })
}

function isPending(migration: MigrationInfo): boolean {
  return migration.executedAt === undefined
}
