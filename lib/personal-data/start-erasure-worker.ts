import type { Database } from '../database/database.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { erase, giveUpOnErasure } from './erase.ts'

/** Erases in this process what was asked for, one request at a time. */
export async function startErasureWorker({
  database,
  jobs,
}: {
  database: Database
  jobs: Jobs
}): Promise<void> {
  await jobs.handle('data.erase', job => erase(database, job))
  await jobs.handleDead('data.erase', job => giveUpOnErasure(database, job))
}
