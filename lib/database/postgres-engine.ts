import { columnTypes } from './column-types.ts'
import { ConnectionPool } from './connection-pool.ts'
import type { Engine } from './engine.ts'
import { queryAside } from './query-aside.ts'
import { watchServer } from './server-watch.ts'

export interface PostgresOptions {
  readonly databaseUrl: string
  /** Connections of this process; 10 by default. */
  readonly poolSize?: number
  readonly onError: (error: Error) => void
}

/**
 * A pool on a PostgreSQL server. Nothing is connected until it is used. Every wait has an end: 5 s for a
 * connection, 10 s for a lock, 30 s for a statement, 60 s for a transaction that sits idle; less than 10 s for
 * anything when the server is gone without a word.
 */
export function openPostgres({ databaseUrl, poolSize = 10, onError }: PostgresOptions): Engine {
  const connection = { connectionString: databaseUrl, types: columnTypes, options: '-c timezone=UTC' }
  const pool = new ConnectionPool({
    ...connection,
    max: poolSize,
    onlyConnection: false,
    onError,
    keepAlive: true,
    application_name: 'kobana-inbox',
    connectionTimeoutMillis: 5_000,
    lock_timeout: 10_000,
    statement_timeout: 30_000,
    idle_in_transaction_session_timeout: 60_000,
    // Counted here, for the server that no longer answers at all.
    query_timeout: 35_000,
  })
  const watch = watchServer(pool, databaseUrl)
  const close = async () => {
    await pool.drain()
    watch.stop()
  }
  const aside = { ...connection, application_name: 'kobana-inbox-aside' }
  return { name: 'postgres', pool, queryAside: query => queryAside(aside, query), close }
}

/** A single connection without deadlines: a migration may wait for another one and take its time. */
export function openPostgresForMigration(databaseUrl: string, onError: (error: Error) => void): Engine {
  const pool = new ConnectionPool({
    connectionString: databaseUrl,
    max: 1,
    onlyConnection: false,
    onError,
    types: columnTypes,
    application_name: 'kobana-inbox-migration',
    options: '-c timezone=UTC',
    connectionTimeoutMillis: 5_000,
  })
  return { name: 'postgres', pool, close: () => pool.drain() }
}
