import type { Transaction } from 'kysely'
import { recordSystemEvent } from '../audit/record-events.ts'
import { endAccess } from '../authorization/end-access.ts'
import type { Database } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { endLinks } from './create-link.ts'
import { type OpenLink, readOpenLink } from './open-link.ts'

/**
 * Gives a person the password that they chose by a link, and uses the link up, both or neither; whatever other links they
 * have end with it. Null where the link opens nothing any more: of two who use it at once, one is too late. As the owner,
 * as for looking.
 *
 * @param hash the password as `hashPassword` made it, before any transaction: that takes its time
 */
export async function setPasswordByLink(
  database: Database,
  { token, hash }: { readonly token: string; readonly hash: string },
): Promise<OpenLink | null> {
  return database.asOwner(async trx => {
    const found = await readOpenLink(trx, token)
    if (!found) return null
    await lockPerson(trx, found)
    // Again, now that nobody else can be at it: whoever was first has used it up by now.
    const link = await readOpenLink(trx, token)
    if (!link) return null
    await endLinks(trx, link.userId)
    await storePassword(trx, link, hash)
    // Whoever knew the old one, or was logged in, is out.
    await endAccess(trx, link.userId)
    const resource = { type: 'member', id: link.userId }
    await recordSystemEvent(trx, link, { action: 'person.set_password', resource })
    return link
  })
}

/** What else opens something for the person waits until this transaction ends. */
async function lockPerson(trx: Transaction<Tables>, { userId }: OpenLink): Promise<void> {
  await trx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
}

async function storePassword(
  trx: Transaction<Tables>,
  { userId, organizationId }: OpenLink,
  hash: string,
): Promise<void> {
  const changed_at = new Date().toISOString()
  await trx
    .insertInto('credentials')
    .values({ user_id: userId, organization_id: organizationId, hash, changed_at })
    .onConflict(conflict => conflict.column('user_id').doUpdateSet({ hash, changed_at }))
    .execute()
}
