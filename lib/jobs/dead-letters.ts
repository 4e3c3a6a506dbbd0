import type { Pool } from 'pg'
import type { DeadLetter } from './jobs.ts'
import { type JobData, type JobName, jobNames, toDeadQueue } from './queues.ts'

/** The newest jobs that failed for good, of all queues and tenants: for operators, never for a route. */
export async function readDeadLetters(pool: Pool, limit: number): Promise<DeadLetter[]> {
  const { rows } = await pool.query<Row>(
    `select source_name as name, data, source_retry_count, source_output ->> 'message' as error, created_on
    from pgboss.job where name = any($1) order by created_on desc, id limit $2`,
    [jobNames.map(toDeadQueue), limit],
  )
  return rows.map(row => ({
    name: row.name,
    data: row.data,
    attempts: row.source_retry_count + 1,
    error: row.error,
    diedAt: row.created_on,
  }))
}

interface Row {
  readonly name: JobName
  readonly data: JobData[JobName]
  readonly source_retry_count: number
  readonly error: string | null
  readonly created_on: string
}
