import { sql, type Transaction } from 'kysely'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { checkEmail } from '../emails/check-email.ts'
import { extractionKinds } from '../extract/extraction.ts'
import { type ExtractionRow, extractionColumns, toFound } from './extraction-row.ts'
import { visibleExtractions } from './list-extractions.ts'
import { type EmailExtraction, mostPerKind } from './schema.ts'

/**
 * What was proved of one e-mail: by kind, at most `mostPerKind` values of each, in the order of the message.
 * Throws `not_found`.
 */
export async function getExtraction(
  trx: Transaction<Tables>,
  tenant: Tenant,
  emailId: string,
): Promise<EmailExtraction> {
  const { status } = await checkEmail(trx, tenant, emailId)
  const rows = await visibleExtractions(trx, tenant)
    .where('extractions.email_id', '=', emailId)
    .select(extractionColumns)
    .orderBy('extractions.position')
    .execute()
  const groups = extractionKinds.flatMap(kind => {
    const group = rows.filter(row => row.kind === kind)
    return group.length > 0 ? [{ kind, group }] : []
  })
  return {
    email_id: emailId,
    status,
    counts: Object.fromEntries(groups.map(({ kind, group }) => [kind, group.length])),
    values: Object.fromEntries(
      groups.map(({ kind, group }) => [kind, group.slice(0, mostPerKind).map(toItem)]),
    ),
    unread_attachments: await listUnread(trx, tenant, emailId),
  }
}

function toItem(row: ExtractionRow) {
  return { id: row.id, value: row.value, details: row.details, found: toFound(row) }
}

function listUnread(trx: Transaction<Tables>, tenant: Tenant, emailId: string) {
  return trx
    .selectFrom('attachments')
    .where('workspace_id', '=', tenant.workspaceId)
    .where('email_id', '=', emailId)
    .where('reading', 'is not', null)
    .where('reading', '!=', 'read')
    .select(['id as attachment_id', 'filename', sql<string>`reading`.as('reason')])
    .orderBy('position')
    .execute()
}
