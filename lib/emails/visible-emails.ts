import type { Transaction } from 'kysely'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'

/**
 * The e-mails that a workspace has. Every query on e-mails starts here: one that is deleted is gone, and so is
 * one whose inbox is deleted, from the moment that the inbox is, without a million rows to be marked first.
 */
export function visibleEmails(trx: Transaction<Tables>, tenant: Tenant) {
  return trx
    .selectFrom('emails')
    .innerJoin('inboxes', 'inboxes.id', 'emails.inbox_id')
    .where('emails.workspace_id', '=', tenant.workspaceId)
    .where('inboxes.workspace_id', '=', tenant.workspaceId)
    .where('emails.deleted_at', 'is', null)
    .where('inboxes.deleted_at', 'is', null)
}
