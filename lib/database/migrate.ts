import { setTimeout as sleep } from 'node:timers/promises'
import { DEFAULT_MIGRATION_TABLE, Kysely, type MigrationResult, Migrator, PostgresDialect, sql } from 'kysely'
import type { Pool } from 'pg'
import { ensureApplicationRole } from './application-role.ts'
import { migrations } from './migrations/index.ts'

/** Milliseconds for which others may hold what a migration needs, all attempts together. */
const patience = 60_000

/**
 * Brings the schema up to date and returns the names of what ran. On a database that is in use, one migration after the
 * other, each of them wholly or not at all, and none waits for a lock long enough for others to notice: it gives up and is
 * tried again, for a minute. Several processes may do it at once: they wait for each other. The pool's user must own the
 * database and, the first time on a server, be allowed to create a role.
 */
export async function migrateToLatest(pool: Pool): Promise<string[]> {
  await ensureApplicationRole(pool)
  const ran: string[] = []
  const giveUpAt = performance.now() + patience
  for (;;) {
    const executed = await readExecuted(pool)
    // The usual case, at every start; names that are not known here are for the migrator to refuse.
    if (executed.size === names.length && names.every(name => executed.has(name))) return ran
    const migrator = createMigrator(pool)
    const { error, results = [] } = await (executed.size === 0
      ? migrator.migrateToLatest()
      : migrator.migrateUp())
    if (error === undefined) ran.push(...results.map(result => result.migrationName))
    else if (!isLockConflict(error) || performance.now() > giveUpAt) throw toFailure(error, results)
    else await sleep(100 + Math.random() * 400)
  }
}

function toFailure(error: unknown, results: readonly MigrationResult[]): unknown {
  const failed = results.find(result => result.status === 'Error')
  return failed ? new Error(`migration ${failed.migrationName} failed`, { cause: error }) : error
}

// lock_not_available and deadlock_detected.
function isLockConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['55P03', '40P01'].includes(String(error.code))
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
  return new Migrator({ db, provider: { getMigrations: async () => impatient } })
}

// Half of the time after which PostgreSQL looks for a deadlock: a migration is what gives way, and no request.
const impatient = Object.fromEntries(
  Object.entries(migrations).map(([name, migration]) => {
    const up = async (db: Kysely<unknown>) => {
      await sql`set local lock_timeout = '500ms'`.execute(db)
      await migration.up(db)
    }
    return [name, { ...migration, up }]
  }),
)
