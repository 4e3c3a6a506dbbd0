import type { Transaction } from 'kysely'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { emailColumns, toEmail } from '../emails/email-row.ts'
import { extractionColumns, toExtraction } from '../extractions/extraction-row.ts'
import type { ExportLine } from './prepare-export.ts'

/**
 * What an export says of one e-mail, without its text and bytes: the e-mail, its attachments, what was extracted and
 * what webhooks were told. Empty when it is gone by now. Not by way of what hides deleted e-mails: they are still
 * held, and so they are told of.
 */
export async function readEmailLines(
  trx: Transaction<Tables>,
  { workspaceId }: Tenant,
  emailId: string,
): Promise<ExportLine[]> {
  const email = await trx
    .selectFrom('emails')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', emailId)
    .select(emailColumns)
    .select('deleted_at')
    .executeTakeFirst()
  if (!email) return []
  const { deleted_at, ...row } = email
  const attachments = await trx
    .selectFrom('attachments')
    .where('workspace_id', '=', workspaceId)
    .where('email_id', '=', emailId)
    .select(['id', 'email_id', 'filename', 'content_type', 'size_bytes', 'disposition', 'sha256', 'position'])
    .orderBy('position')
    .execute()
  const extractions = await trx
    .selectFrom('extractions')
    .where('workspace_id', '=', workspaceId)
    .where('email_id', '=', emailId)
    .select(extractionColumns)
    .orderBy('position')
    .execute()
  const events = await trx
    .selectFrom('events')
    .where('workspace_id', '=', workspaceId)
    .where('email_id', '=', emailId)
    .select(['id', 'type', 'email_id', 'data', 'created_at'])
    .orderBy('id')
    .execute()
  return [
    { type: 'email', data: { ...toEmail(row), deleted_at } },
    ...attachments.map(data => ({ type: 'attachment', data })),
    ...extractions.map(found => ({ type: 'extraction', data: toExtraction(found) })),
    ...events.map(data => ({ type: 'event', data })),
  ]
}
