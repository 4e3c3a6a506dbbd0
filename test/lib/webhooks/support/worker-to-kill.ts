import type { Database, Tenant, Work } from '../../../../lib/database/database.ts'
import { openDatabase } from '../../../../lib/database/open-database.ts'
import { createJobs } from '../../../../lib/jobs/jobs.ts'
import { startWebhookWorker } from '../../../../lib/webhooks/start-webhook-worker.ts'
import { hasty, silent } from '../../jobs/support/start-jobs.ts'

/**
 * A worker in a process of its own that sends a message and never writes down that it did, to be killed there.
 * Arguments: where the database is, as JSON, and the key for secrets.
 */
const [location = '', key = ''] = process.argv.slice(2)
const database = await openDatabase(JSON.parse(location))
const jobs = createJobs(database, { log: silent, ...hasty })
await jobs.start()
await startWebhookWorker(
  { database: withoutSecondTransaction(database), jobs, log: silent },
  { secretsKeys: [key], allowPrivate: true, concurrency: 1 },
)

function withoutSecondTransaction(database: Database): Database {
  let transactions = 0
  return {
    ...database,
    inTenant<T>(tenant: Tenant, work: Work<T>): Promise<T> {
      transactions += 1
      return transactions === 1 ? database.inTenant(tenant, work) : new Promise<T>(() => {})
    },
  }
}
