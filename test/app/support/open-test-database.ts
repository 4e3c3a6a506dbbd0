import type { Database } from '../../../lib/database/database.ts'
import { type DatabaseLocation, openDatabase } from '../../../lib/database/open-database.ts'
import { openEmbeddedDatabase } from './embedded-databases.ts'
import { createEmbeddedLocation } from './embedded-template.ts'
import { createPostgresLocation } from './postgres-template.ts'

/** What is needed of a test: something to do when it is over. */
export interface Teardown {
  teardown(callback: () => unknown): unknown
}

/**
 * A migrated, empty database of one's own, closed and removed with the test: on the server of `DATABASE_URL`
 * where that is set, else on the embedded engine.
 */
export async function openTestDatabase(t: Teardown): Promise<Database> {
  const url = process.env.DATABASE_URL
  if (!url) return openEmbeddedDatabase(t, report)
  const database = await openDatabase(await createPostgresLocation(t, url), { onError: report })
  t.teardown(() => database.close())
  return database
}

/** The same, unopened, for what opens its database by itself; whoever opens it closes it before the test ends. */
export async function createTestLocation(t: Teardown): Promise<DatabaseLocation> {
  const url = process.env.DATABASE_URL
  return url ? createPostgresLocation(t, url) : createEmbeddedLocation(t)
}

function report(error: Error): void {
  console.error('# database:', error.message)
}
