import type { Database } from './database.ts'
import type { Engine } from './engine.ts'
import { migrateToLatest, pendingMigrations } from './migrate.ts'
import { openPglite } from './pglite-engine.ts'
import { openPostgres, openPostgresForMigration } from './postgres-engine.ts'
import { createDatabase } from './transactions.ts'

/** Where the database is: a PostgreSQL server if there is a URL, else the embedded engine in a directory. */
export interface DatabaseLocation {
  readonly databaseUrl: string | null
  readonly dataDir: string
}

export interface OpenDatabaseOptions {
  /** Run pending migrations on PostgreSQL, too. The embedded engine always does. */
  readonly migrate?: boolean
  /** Connections of this process to PostgreSQL; 10 by default. */
  readonly poolSize?: number
  /** Told of what goes wrong outside anybody's query. By default nobody is. */
  readonly onError?: (error: Error) => void
}

/**
 * Opens the database. Rejects when it cannot be reached, when another process has the embedded one open, and
 * when a PostgreSQL lacks migrations that it was not asked to run.
 */
export async function openDatabase(
  { databaseUrl, dataDir }: DatabaseLocation,
  { migrate = false, poolSize, onError = () => {} }: OpenDatabaseOptions = {},
): Promise<Database> {
  if (databaseUrl === null) {
    return open(await openPglite({ dataDir, onError }), async ({ pool }) => {
      await migrateToLatest(pool)
    })
  }
  if (migrate) await migratePostgres(databaseUrl, onError)
  const size = poolSize === undefined ? {} : { poolSize }
  return open(openPostgres({ databaseUrl, onError, ...size }), refusePending)
}

async function open(engine: Engine, prepare: (engine: Engine) => Promise<void>): Promise<Database> {
  try {
    await prepare(engine)
  } catch (error) {
    await engine.close()
    throw error
  }
  return createDatabase(engine)
}

async function migratePostgres(databaseUrl: string, onError: (error: Error) => void): Promise<void> {
  const engine = openPostgresForMigration(databaseUrl, onError)
  try {
    await migrateToLatest(engine.pool)
  } finally {
    await engine.close()
  }
}

async function refusePending({ pool }: Engine): Promise<void> {
  const pending = await pendingMigrations(pool)
  if (pending.length === 0) return
  throw new Error(`The database lacks ${pending.length} migrations (${pending.join(', ')}). Run them first.`)
}
