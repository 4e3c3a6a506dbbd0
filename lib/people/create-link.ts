import { sql, type Transaction } from 'kysely'
import type { LinkPurpose, Tables } from '../database/tables.ts'
import { createLinkToken, toLinkHash } from './link-token.ts'

/** Hours that a link is good for: somebody who is invited may be away for a weekend, somebody who asked is waiting. */
export const linkHours: Readonly<Record<LinkPurpose, number>> = { invitation: 72, reset: 24 }

export interface NewLink {
  readonly organizationId: string
  readonly userId: string
  /** Who asked for it; null for a command. */
  readonly createdBy: string | null
}

/** A link that was just made. What it is known by is stored nowhere. */
export interface CreatedLink {
  readonly token: string
  readonly purpose: LinkPurpose
  readonly expiresAt: string
}

/**
 * A one-time link by which a person sets a password: an invitation as long as they have none. Earlier links of theirs
 * end with it, so that the newest is the only one.
 */
export async function createLink(
  trx: Transaction<Tables>,
  { organizationId, userId, createdBy }: NewLink,
): Promise<CreatedLink> {
  const purpose = (await hasPassword(trx, userId)) ? 'reset' : 'invitation'
  const token = createLinkToken()
  await endLinks(trx, userId)
  const { expires_at: expiresAt } = await trx
    .insertInto('account_links')
    .values({
      hash: toLinkHash(token),
      organization_id: organizationId,
      user_id: userId,
      purpose,
      created_by: createdBy,
      expires_at: sql<string>`now() + ${linkHours[purpose]} * interval '1 hour'`,
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow()
  return { token, purpose, expiresAt }
}

/** Lets no link of a person open anything any more. */
export async function endLinks(trx: Transaction<Tables>, userId: string): Promise<void> {
  await trx.deleteFrom('account_links').where('user_id', '=', userId).execute()
}

async function hasPassword(trx: Transaction<Tables>, userId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('credentials')
    .select('user_id')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row !== undefined
}
