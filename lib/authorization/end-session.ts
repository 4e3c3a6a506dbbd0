import type { Database } from '../database/database.ts'

/** Ends a session in a browser, by the name that interactions have for it: somebody else logs in there. */
export async function endSession(database: Database, sessionUid: string): Promise<void> {
  await database.asOwner(trx =>
    trx.deleteFrom('oauth_records').where('session_uid', '=', sessionUid).execute(),
  )
}
