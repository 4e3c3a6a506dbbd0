import { sql, type Transaction } from 'kysely'
import type { Tables } from '../database/tables.ts'

/**
 * Ends whatever a person's logins have led to: sessions in browsers, consents, codes and refresh tokens. Access tokens
 * that are out are refused within 30 seconds. For a password that was reset, and a person who is disabled or removed.
 *
 * @param trx of the owner, or of the person's own organization: for others the database refuses it
 */
export async function endAccess(trx: Transaction<Tables>, userId: string): Promise<void> {
  await sql`select public.end_access(${userId})`.execute(trx)
}
