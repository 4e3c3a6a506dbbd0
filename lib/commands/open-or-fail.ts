import type { Database } from '../database/database.ts'
import { type DatabaseLocation, type OpenDatabaseOptions, openDatabase } from '../database/open-database.ts'
import { toFailure } from './command-failure.ts'

/**
 * Opens the database, migrated. What keeps it from that (no server, another demo on the same data) is for
 * whoever typed the command to mend, so that it becomes a CommandFailure.
 */
export async function openOrFail(
  location: DatabaseLocation,
  options: OpenDatabaseOptions = {},
): Promise<Database> {
  try {
    return await openDatabase(location, { migrate: true, ...options })
  } catch (error) {
    throw toFailure(error, 'The database cannot be opened: ')
  }
}
