import type { Account } from 'oidc-provider'
import type { Database } from '../database/database.ts'
import { readPerson } from '../identity/read-person.ts'
import { orUnavailable } from './store-errors.ts'

/** What a session keeps of its login, beside the person. */
export interface Login {
  readonly accountId?: string | undefined
  /** Which password it was, as `toPasswordMark` has it. */
  readonly acr?: string | undefined
}

/**
 * The account of a session or token, or undefined where its person may not log in any more. A session is that of the
 * password it was logged in with: one that was being written while it was ended, or whose password was looked at just
 * before it was changed, is none all the same.
 *
 * @param session of the browser; undefined for a token, which ends with what is stored of it
 */
export async function findAccount(
  database: Database,
  id: string,
  session: Login | undefined,
): Promise<Account | undefined> {
  return orUnavailable(async () => {
    const person = await readPerson(database, id)
    if (!person) return undefined
    if (session?.accountId === id && session.acr !== (await readPasswordMark(database, id))) return undefined
    return { accountId: id, claims: async () => ({ sub: id }) }
  })
}

/**
 * Tells the passwords of a person apart, and nothing of them. It is compared and never ordered: clocks, and how long a
 * login takes, make no difference.
 */
export function toPasswordMark(changedAt: string): string {
  return `password-of-${Date.parse(changedAt)}`
}

async function readPasswordMark(database: Database, id: string): Promise<string | null> {
  const row = await database.asOwner(trx =>
    trx.selectFrom('credentials').select('changed_at').where('user_id', '=', id).executeTakeFirst(),
  )
  return row ? toPasswordMark(row.changed_at) : null
}
