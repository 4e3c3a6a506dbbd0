import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { createPgConfig } from '@electric-sql/pglite/node-postgres'
import { columnTypes } from './column-types.ts'
import { ConnectionPool } from './connection-pool.ts'
import { lockDirectory } from './directory-lock.ts'
import type { Engine } from './engine.ts'
import { startMaintenance } from './maintenance.ts'
import { withProtocolExchange } from './protocol-exchange.ts'
import { rememberStatements } from './remember-statements.ts'

export interface PgliteOptions {
  /** Where the data lives; made if it is not there. */
  readonly dataDir: string
  readonly onError: (error: Error) => void
}

/** A quarter of the usual: the system caches its files as well, and what there is gets cleared whenever it opens. */
const buffers = '32MB'

/**
 * The embedded engine on a directory that no other process has open (two of them lose each other's rows
 * without a word).
 */
export async function openPglite({ dataDir, onError }: PgliteOptions): Promise<Engine> {
  const directory = resolve(dataDir)
  await mkdir(directory, { recursive: true })
  const lock = lockDirectory(directory)
  try {
    const pglite = await startPglite(directory)
    const engine = createPgliteEngine(pglite, onError)
    const close = async () => {
      try {
        await engine.close()
        await pglite.close()
      } finally {
        lock.release()
      }
    }
    return { ...engine, close }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Starts PGlite, and nothing around it: whoever calls this has made sure that the directory is its own. */
export function startPglite(directory: string): Promise<PGlite> {
  return PGlite.create({
    dataDir: join(directory, 'postgres'),
    // Committed means written: the promise of a commit waits for the files.
    relaxedDurability: false,
    startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${buffers}`],
  })
}

/**
 * There is one connection, lent by a pool of one: the engine itself stays in here, because a query that went past
 * the pool would run inside whichever transaction, and tenant, is open at that moment. Closing leaves PGlite running.
 */
export function createPgliteEngine(pglite: PGlite, onError: (error: Error) => void): Engine {
  const pool = createPool(pglite, onError)
  const maintenance = startMaintenance(pool, { onError })
  const close = async () => {
    await maintenance.stop()
    await pool.drain()
  }
  return { name: 'pglite', pool, close }
}

function createPool(pglite: PGlite, onError: (error: Error) => void): ConnectionPool {
  const pool = new ConnectionPool({
    ...createPgConfig(withProtocolExchange(pglite)),
    onlyConnection: true,
    onError,
    types: columnTypes,
    // The connection is never retired; whoever waits for it longer than this waits for itself.
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: 15_000,
  })
  rememberStatements(pool)
  return pool
}
