import { sql, type Transaction } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { JobData, JobName } from './queues.ts'

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
): Promise<void> {
  await sql`select enqueue_job(${name}, ${JSON.stringify(data)}::jsonb)`.execute(trx)
}
