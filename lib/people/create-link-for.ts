import { recordSystemEvent } from '../audit/record-events.ts'
import type { Database } from '../database/database.ts'
import { type CreatedLink, createLink } from './create-link.ts'
import type { Account } from './find-account.ts'

/**
 * A link for somebody who can ask nobody else, such as the only admin. As the owner: it is whoever operates the
 * installation who makes it, for any organization.
 */
export async function createLinkFor(
  database: Database,
  { userId, organizationId }: Pick<Account, 'userId' | 'organizationId'>,
): Promise<CreatedLink> {
  return database.asOwner(async trx => {
    const resource = { type: 'member', id: userId }
    await recordSystemEvent(trx, { organizationId }, { action: 'person.create_link', resource })
    return createLink(trx, { organizationId, userId, createdBy: null })
  })
}
