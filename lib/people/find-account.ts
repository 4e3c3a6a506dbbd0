import type { Database } from '../database/database.ts'
import { toAsciiDomain } from '../fields/email-address.ts'

/** A person as logging in sees them. */
export interface Account {
  readonly userId: string
  readonly organizationId: string
  readonly name: string
  /** true: whoever it is may not log in, whatever the password. */
  readonly disabled: boolean
  /** Null until the person has chosen a password. */
  readonly passwordHash: string | null
  /** How often their logins had been ended when this was read; null as above. */
  readonly loginsEnded: number | null
}

/** An address as accounts have it, however it was typed. What counts by account goes by this, too: no spelling is one more. */
export function toAccountAddress(email: string): string {
  return toAsciiDomain(email.trim().toLowerCase())
}

/**
 * The account with an e-mail address, in any case, the domain in either spelling, or null. As the owner: an address is
 * one among all organizations, and nobody is logged in yet.
 */
export async function findAccountByEmail(database: Database, email: string): Promise<Account | null> {
  // Nobody has an address with these, and the database cannot even be asked for NUL.
  if (/[\p{Cc}\p{Cs}]/u.test(email.trim())) return null
  const account = await database.asOwner(trx =>
    trx
      .selectFrom('users')
      .leftJoin('credentials', 'credentials.user_id', 'users.id')
      .select([
        'users.id as userId',
        'users.organization_id as organizationId',
        'users.name',
        'users.disabled_at',
        'credentials.hash as passwordHash',
        'credentials.logins_ended as loginsEnded',
      ])
      .where('users.email', '=', toAccountAddress(email))
      .executeTakeFirst(),
  )
  if (!account) return null
  const { disabled_at, ...rest } = account
  return { ...rest, disabled: disabled_at !== null }
}
