import { domainToASCII } from 'node:url'
import type { Database, Tenant } from '../../database/database.ts'
import type { InboxStatus } from '../../database/tables.ts'

/** The inbox that an address belongs to. */
export interface Recipient {
  readonly inboxId: string
  readonly address: string
  readonly status: InboxStatus
  readonly tenant: Tenant
}

/**
 * The inbox with an address, in any case, or null. Letters count and nothing else does: `invoices+a@…` is
 * another address than `invoices@…`. As the owner: an address is one among all tenants', and it is what says
 * whose transaction the message belongs into; nothing else is read here.
 *
 * @param address as the client gave it; a domain in Unicode is compared in the form in which it is registered
 */
export async function findRecipient(database: Database, address: string): Promise<Recipient | null> {
  const wanted = toInboxAddress(address)
  if (wanted === null) return null
  const inbox = await database.asOwner(trx =>
    trx
      .selectFrom('inboxes')
      .where('address', '=', wanted)
      .where('deleted_at', 'is', null)
      .select(['id', 'organization_id', 'workspace_id', 'status'])
      .executeTakeFirst(),
  )
  if (!inbox) return null
  const tenant = { organizationId: inbox.organization_id, workspaceId: inbox.workspace_id }
  return { inboxId: inbox.id, address: wanted, status: inbox.status, tenant }
}

/** Null for what no inbox can have, such as an address literal. */
function toInboxAddress(address: string): string | null {
  const at = address.lastIndexOf('@')
  const domain = domainToASCII(address.slice(at + 1))
  return at < 1 || domain === '' ? null : `${address.slice(0, at)}@${domain}`.toLowerCase()
}
