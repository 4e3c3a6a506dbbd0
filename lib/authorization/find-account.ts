import type { Account } from 'oidc-provider'
import type { Database } from '../database/database.ts'
import { readPerson } from '../identity/read-person.ts'
import { orUnavailable } from './store-errors.ts'

/** What a session keeps of its login, beside the person. */
export interface Login {
  readonly accountId?: string | undefined
  /** Since when it holds, as `toLoginMark` has it. */
  readonly acr?: string | undefined
}

/**
 * The account of a session or token, or undefined where its person may not log in any more. A session holds
 * until the person's logins are ended: one that was being written meanwhile, or whose password was looked at just before
 * it was changed, is none all the same.
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
    if (session?.accountId === id && session.acr !== (await readLoginMark(database, id))) return undefined
    return { accountId: id, claims: async () => ({ sub: id }) }
  })
}

/**
 * What a session keeps of the number of times that the person's logins had been ended. It is compared and never ordered:
 * clocks, and how long a login takes, make no difference.
 */
export function toLoginMark(loginsEnded: number): string {
  return `logins-ended-${loginsEnded}`
}

async function readLoginMark(database: Database, id: string): Promise<string | null> {
  const row = await database.asOwner(trx =>
    trx.selectFrom('credentials').select('logins_ended').where('user_id', '=', id).executeTakeFirst(),
  )
  return row ? toLoginMark(row.logins_ended) : null
}
