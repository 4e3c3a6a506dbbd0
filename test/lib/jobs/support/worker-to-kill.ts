import type { Database, Tenant, Work } from '../../../../lib/database/database.ts'
import { openDatabase } from '../../../../lib/database/open-database.ts'
import { createJobs } from '../../../../lib/jobs/jobs.ts'
import { startWorker } from '../../../../lib/jobs/start-worker.ts'
import { hasty, silent } from './start-jobs.ts'

/**
 * A worker in a process of its own that comes to a stop at one point of its first job and says so, to be
 * killed there. Arguments: where the database is, as JSON, and the point.
 *
 * - claimed: the e-mail is marked as being read, nothing is written
 * - written: everything is written, and not committed
 * - committed: it is committed, and the queue does not know
 */
const [location = '', point = ''] = process.argv.slice(2)
const database = await openDatabase(JSON.parse(location))
const jobs = createJobs(database, { log: silent, ...hasty })
await jobs.start()
await startWorker({ database: stopAt(database, point), jobs, log: silent, concurrency: 1 })

function stopAt(database: Database, point: string): Database {
  let transactions = 0
  // One that claims, one that reads the rules, one that writes.
  const last = 3
  return {
    ...database,
    async inTenant<T>(tenant: Tenant, work: Work<T>) {
      transactions += 1
      const isLast = transactions === last
      const result = await database.inTenant(tenant, async trx => {
        const written = await work(trx)
        if (isLast && point === 'written') await waitToBeKilled()
        return written
      })
      if (isLast ? point === 'committed' : transactions === 1 && point === 'claimed') await waitToBeKilled()
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
