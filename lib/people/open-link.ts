import { sql, type Transaction } from 'kysely'
import type { Database } from '../database/database.ts'
import type { LinkPurpose, Tables } from '../database/tables.ts'
import { isLinkToken, toLinkHash } from './link-token.ts'

/** A link that still opens something, and whose it is. */
export interface OpenLink {
  readonly userId: string
  readonly organizationId: string
  readonly organizationName: string
  readonly email: string
  readonly purpose: LinkPurpose
}

/**
 * The link with a token, or null for one that never was, is used, past its time, or of a disabled account. Looking uses
 * nothing up. As the owner: whoever opens a link is nobody yet.
 */
export async function findOpenLink(database: Database, token: string): Promise<OpenLink | null> {
  if (!isLinkToken(token)) return null
  return database.asOwner(trx => readOpenLink(trx, token))
}

/** The same within a transaction. */
export async function readOpenLink(trx: Transaction<Tables>, token: string): Promise<OpenLink | null> {
  const link = await trx
    .selectFrom('account_links')
    .innerJoin('users', 'users.id', 'account_links.user_id')
    .innerJoin('organizations', 'organizations.id', 'users.organization_id')
    .select([
      'users.id as userId',
      'organizations.id as organizationId',
      'organizations.name as organizationName',
      'users.email',
      'account_links.purpose',
    ])
    .where('account_links.hash', '=', toLinkHash(token))
    .where('account_links.expires_at', '>', sql<string>`now()`)
    .where('users.disabled_at', 'is', null)
    .executeTakeFirst()
  return link ?? null
}
