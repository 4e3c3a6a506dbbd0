import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from '../database/database.ts'

/**
 * The database for a worker that shares its thread with a server. The embedded engine answers without ever
 * going back to the event loop, so that a worker with enough to do would keep every request waiting until all
 * of it is done; here each transaction lets the loop turn once first.
 */
export function toYieldingDatabase(database: Database): Database {
  return {
    ...database,
    async inTenant(tenant, work) {
      await nextTurn()
      return database.inTenant(tenant, work)
    },
    async asOwner(work) {
      await nextTurn()
      return database.asOwner(work)
    },
  }
}
