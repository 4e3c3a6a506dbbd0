import type { Transaction } from 'kysely'
import type { Tables } from '../database/tables.ts'

/**
 * Ends whatever a person's logins have led to: sessions in browsers, consents, codes and refresh tokens. Access tokens
 * that are out are refused within 30 seconds. For a password that was reset, and a person who is disabled or removed.
 *
 * @param trx of the owner, who alone writes these tables
 */
export async function endAccess(trx: Transaction<Tables>, userId: string): Promise<void> {
  await trx.deleteFrom('oauth_grants').where('user_id', '=', userId).execute()
  await trx.deleteFrom('oauth_records').where('user_id', '=', userId).execute()
}
