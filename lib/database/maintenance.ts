import type { Pool, PoolClient } from 'pg'

export interface Maintenance {
  /** Ends the timer, waits for what runs and writes a last checkpoint. */
  stop(): Promise<void>
}

export interface MaintenanceOptions {
  readonly onError: (error: Error) => void
  /** Milliseconds between two rounds; 30,000 by default. */
  readonly interval?: number
  /** Every how many rounds there is a vacuum; 20 by default. */
  readonly roundsPerVacuum?: number
}

/**
 * What a PostgreSQL server does in the background and the embedded engine does not: a checkpoint every 30 s,
 * which keeps the log from growing and the next start short, and a vacuum with fresh statistics every ten
 * minutes; each only if something was written since. It queues for the connection like everybody else.
 */
export function startMaintenance(
  pool: Pool,
  { onError, interval = 30_000, roundsPerVacuum = 20 }: MaintenanceOptions,
): Maintenance {
  const upkeep = createUpkeep(pool)
  let round = 0
  let running: Promise<void> | undefined

  const run = (work: { vacuum: boolean }) => {
    running ??= upkeep(work)
      .catch(onError)
      .finally(() => {
        running = undefined
      })
    return running
  }
  const timer = setInterval(() => {
    round += 1
    void run({ vacuum: round % roundsPerVacuum === 0 })
  }, interval)
  timer.unref()

  return {
    async stop() {
      clearInterval(timer)
      await running
      await run({ vacuum: false })
    },
  }
}

/** One round on one connection, so that nobody writes between the work and the position that is noted. */
function createUpkeep(pool: Pool) {
  let settled = ''
  let isVacuumed = false

  return async ({ vacuum }: { vacuum: boolean }): Promise<void> => {
    const client = await pool.connect()
    try {
      const isWritten = (await readLogPosition(client)) !== settled
      if (isWritten) isVacuumed = false
      const isVacuumDue = vacuum && !isVacuumed
      if (!isWritten && !isVacuumDue) return
      if (isVacuumDue) await client.query('vacuum analyze')
      await client.query('checkpoint')
      isVacuumed ||= isVacuumDue
      // The work itself has written, too.
      settled = await readLogPosition(client)
    } finally {
      client.release()
    }
  }
}

async function readLogPosition(client: PoolClient): Promise<string> {
  const { rows } = await client.query<{ position: string }>(
    'select pg_current_wal_insert_lsn()::text as position',
  )
  return rows[0]?.position ?? ''
}
