import type { Transaction } from 'kysely'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { checkIfMatch } from '../versions/if-match.ts'
import { addressTaken, changeInbox, insertInbox, lockInboxByAddress } from './repository.ts'
import type { Inbox, NewInbox } from './schema.ts'

/**
 * Makes the workspace's inbox with this address what `inbox` says, and tells whether it had to be created.
 * Members that are left out keep their values. However many callers come at once, one of them creates it.
 * Throws `conflict` when another workspace uses the address, and `precondition_failed`, which a caller who
 * names a version of an inbox that does not exist gets as well.
 */
export async function upsertInbox(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { inbox, ifMatch }: { inbox: NewInbox; ifMatch: string | undefined },
): Promise<{ inbox: Inbox; created: boolean }> {
  const { address, ...changes } = inbox
  const before = await lockInboxByAddress(trx, tenant, address)
  checkIfMatch(ifMatch, before?.version)
  if (before) return { inbox: await changeInbox(trx, tenant, { inbox: before, changes }), created: false }
  const created = await insertInbox(trx, tenant, inbox)
  if (created) return { inbox: created, created: true }
  // Somebody was faster. Either it was one of ours, and is to be seen now, or the address is not to be had.
  const faster = await lockInboxByAddress(trx, tenant, address)
  if (!faster) throw addressTaken()
  return { inbox: await changeInbox(trx, tenant, { inbox: faster, changes }), created: false }
}
