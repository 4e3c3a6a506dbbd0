import type { Transaction } from 'kysely'
import { z } from 'zod'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { checkEmail } from '../emails/check-email.ts'
import { visibleEmails } from '../emails/visible-emails.ts'
import { parseCursor } from '../paging/cursor.ts'
import { type Page, toPage } from '../paging/page.ts'
import { problem } from '../problem/problem.ts'
import { type Attachment, type AttachmentsQuery, attachmentId } from './schema.ts'

/**
 * One page of an e-mail's attachments, in the order of the message. Throws `not_found` without the e-mail, and
 * `validation_failed` for another list's cursor.
 */
export async function listAttachments(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { emailId, limit, cursor }: AttachmentsQuery & { emailId: string },
): Promise<Page<Attachment>> {
  await checkEmail(trx, tenant, emailId)
  const listing = { operation: 'attachments_list', owner: tenant.workspaceId, filters: { emailId } }
  let query = visibleAttachments(trx, tenant).where('attachments.email_id', '=', emailId)
  if (cursor !== undefined) {
    const [position] = parseCursor(listing, cursor, z.tuple([z.string().regex(/^\d{1,6}$/)]))
    query = query.where('attachments.position', '>', Number(position))
  }
  const rows = await query
    .select(attachmentColumns)
    .orderBy('attachments.position')
    .limit(limit + 1)
    .execute()
  return toPage(rows, { limit, listing, position: row => [String(row.position)] })
}

/** One attachment, without its content. Throws `not_found`. */
export async function getAttachment(
  trx: Transaction<Tables>,
  tenant: Tenant,
  id: string,
): Promise<Attachment> {
  const row = await attachmentById(trx, tenant, id).select(attachmentColumns).executeTakeFirst()
  if (!row) throw attachmentNotFound()
  return row
}

/** The file itself, byte for byte as it was sent, with what its sender calls it. Throws `not_found`. */
export async function getAttachmentContent(
  trx: Transaction<Tables>,
  tenant: Tenant,
  id: string,
): Promise<{ filename: string | null; content_type: string; content: Buffer }> {
  const row = await attachmentById(trx, tenant, id)
    .innerJoin('attachment_contents', join =>
      join
        .onRef('attachment_contents.workspace_id', '=', 'attachments.workspace_id')
        .onRef('attachment_contents.attachment_id', '=', 'attachments.id'),
    )
    .select(['attachments.filename', 'attachments.content_type', 'attachment_contents.content'])
    .executeTakeFirst()
  if (!row) throw attachmentNotFound()
  return row
}

const attachmentColumns = [
  'attachments.id',
  'attachments.email_id',
  'attachments.filename',
  'attachments.content_type',
  'attachments.size_bytes',
  'attachments.content_id',
  'attachments.disposition',
  'attachments.sha256',
  'attachments.position',
  'attachments.reading',
] as const

/** Those of e-mails that are there: what is deleted takes its attachments along, at once. */
function visibleAttachments(trx: Transaction<Tables>, tenant: Tenant) {
  return visibleEmails(trx, tenant)
    .innerJoin('attachments', 'attachments.email_id', 'emails.id')
    .where('attachments.workspace_id', '=', tenant.workspaceId)
}

function attachmentById(trx: Transaction<Tables>, tenant: Tenant, id: string) {
  if (!attachmentId.safeParse(id).success) throw attachmentNotFound()
  return visibleAttachments(trx, tenant).where('attachments.id', '=', id)
}

/** One answer for ids that never existed, that are malformed, deleted or another tenant's: it tells nothing. */
function attachmentNotFound() {
  return problem('not_found', 'There is no such attachment in this workspace.')
}
