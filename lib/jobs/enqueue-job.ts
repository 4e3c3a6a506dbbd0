import { sql, type Transaction } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { workTrace } from '../tracing/work-trace.ts'
import type { JobData, JobName } from './queues.ts'

/** When a job may be done. */
export interface JobTiming {
  /** Seconds from now before which nobody takes it; 0 by default. */
  readonly startAfter?: number
}

/**
 * Adds a job in the caller's transaction: it exists if and when that commits. In a tenant's transaction the
 * database refuses a job for any other tenant. It is one call of a function of ours (install-queues.ts) and
 * not pg-boss' `send`, which may ask the pool for what it knows of the queue: on the embedded engine, whose
 * only connection the caller is holding, that would wait forever.
 */
export async function enqueueJob<Name extends JobName>(
  trx: Transaction<Tables>,
  name: Name,
  data: JobData[Name],
  { startAfter = 0 }: JobTiming = {},
): Promise<void> {
  const trace = workTrace.getStore()
  const payload = trace === undefined ? data : { ...data, trace }
  await sql`select enqueue_job(${name}, ${JSON.stringify(payload)}::jsonb, ${startAfter}::float8)`.execute(
    trx,
  )
}
