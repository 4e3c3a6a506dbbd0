import type { Database, Tenant, Work } from '../../../../lib/database/database.ts'
import { openDatabase } from '../../../../lib/database/open-database.ts'
import { createJobs } from '../../../../lib/jobs/jobs.ts'
import { startErasureWorker } from '../../../../lib/personal-data/start-erasure-worker.ts'
import { hasty, silent } from '../../jobs/support/start-jobs.ts'

/**
 * A worker in a process of its own that comes to a stop in its second batch and says so, to be killed there.
 * Arguments: where the database is, as JSON, and whether that batch is `written` only, or `committed`.
 */
const [location = '', point = ''] = process.argv.slice(2)
const database = await openDatabase(JSON.parse(location))
const jobs = createJobs(database, { log: silent, ...hasty })
await jobs.start()
await startErasureWorker({ database: stopAt(database, point), jobs })

function stopAt(database: Database, point: string): Database {
  let transactions = 0
  return {
    ...database,
    async inTenant<T>(tenant: Tenant, work: Work<T>) {
      transactions += 1
      const isLast = transactions === 2
      const result = await database.inTenant(tenant, async trx => {
        const written = await work(trx)
        if (isLast && point === 'written') await waitToBeKilled()
        return written
      })
      if (isLast) await waitToBeKilled()
      return result
    },
  }
}

async function waitToBeKilled(): Promise<never> {
  process.stdout.write('reached\n')
  return new Promise(() => {
    setInterval(() => {}, 60_000)
  })
}
