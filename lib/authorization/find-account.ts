import type { Account } from 'oidc-provider'
import type { Database } from '../database/database.ts'
import { readPerson } from '../identity/read-person.ts'
import { orUnavailable } from './store-errors.ts'

/**
 * The account of a session or token, or undefined where its person may not log in any more, or has another password
 * since: a session that was being written while it was ended is none all the same.
 *
 * @param loggedInAt of a session, in seconds
 */
export async function findAccount(
  database: Database,
  id: string,
  loggedInAt: number | undefined,
): Promise<Account | undefined> {
  return orUnavailable(async () => {
    const person = await readPerson(database, id)
    if (!person) return undefined
    if (loggedInAt !== undefined && (await hasNewerPassword(database, id, loggedInAt))) return undefined
    return { accountId: id, claims: async () => ({ sub: id }) }
  })
}

async function hasNewerPassword(database: Database, id: string, loggedInAt: number): Promise<boolean> {
  // The login is known to the second only.
  const latest = new Date((loggedInAt + 1) * 1000).toISOString()
  const newer = await database.asOwner(trx =>
    trx
      .selectFrom('credentials')
      .select('user_id')
      .where('user_id', '=', id)
      .where('changed_at', '>', latest)
      .executeTakeFirst(),
  )
  return newer !== undefined
}
