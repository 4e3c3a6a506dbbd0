import { sql, type Transaction } from 'kysely'
import type { EmailStatus, Tables } from '../database/tables.ts'
import { toSearchVector } from '../database/text-search.ts'
import { createId } from '../id/id.ts'
import type { EmailJob } from '../jobs/queues.ts'
import type { Failure } from './email-operation.ts'
import type { ParsedAttachment, ParsedMessage } from './parse-message.ts'

/** How an e-mail ends, and what is kept of it: text and attachments of a processed one only. */
export interface EmailOutcome {
  readonly status: Extract<EmailStatus, 'processed' | 'rejected' | 'failed'>
  readonly failure: Failure | null
  /** What could be read; of a message that could not, perhaps its headers. */
  readonly message: ParsedMessage | null
}

/**
 * Writes what was read from a message and replaces what was read from it before. What people edit, its
 * labels, its read mark and with them its version, stays.
 */
export async function storeEmail(
  trx: Transaction<Tables>,
  job: EmailJob,
  { status, failure, message }: EmailOutcome,
): Promise<void> {
  const content = status === 'processed' ? message : null
  const attachments = content?.attachments ?? []
  await storeText(trx, job, content)
  await storeAttachments(trx, job, attachments)
  await trx
    .updateTable('emails')
    .set({
      status,
      failure_code: failure?.code ?? null,
      failure_reason: failure?.reason ?? null,
      from_address: message?.from?.address ?? null,
      from_name: message?.from?.name ?? null,
      to: JSON.stringify(message?.to ?? []),
      cc: JSON.stringify(message?.cc ?? []),
      subject: message?.subject ?? null,
      sent_at: message?.sentAt ?? null,
      has_attachments: attachments.length > 0,
      attachment_count: attachments.length,
      text_search: toSearchVector([
        message?.subject ?? null,
        message?.from?.name ?? null,
        message?.from?.address ?? null,
        ...attachments.map(({ filename }) => filename),
        content?.text ?? null,
      ]),
      processed_at: sql<string>`now()`,
      updated_at: sql<string>`now()`,
    })
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', job.emailId)
    .execute()
}

async function storeText(
  trx: Transaction<Tables>,
  job: EmailJob,
  content: ParsedMessage | null,
): Promise<void> {
  await trx
    .deleteFrom('email_texts')
    .where('workspace_id', '=', job.workspaceId)
    .where('email_id', '=', job.emailId)
    .execute()
  if (!content) return
  const { text, html } = content
  await trx
    .insertInto('email_texts')
    .values({ workspace_id: job.workspaceId, email_id: job.emailId, text, html })
    .execute()
}

/** An attachment that is the same as before keeps its id: links to it stay good. */
async function storeAttachments(
  trx: Transaction<Tables>,
  job: EmailJob,
  attachments: readonly ParsedAttachment[],
): Promise<void> {
  const previous = await trx
    .deleteFrom('attachments')
    .where('workspace_id', '=', job.workspaceId)
    .where('email_id', '=', job.emailId)
    .returning(['id', 'position', 'sha256'])
    .execute()
  // One at a time: together they may be as large as a message.
  for (const [position, attachment] of attachments.entries()) {
    const same = previous.find(row => row.position === position && row.sha256 === attachment.sha256)
    await insertAttachment(trx, job, { id: same?.id ?? createId('att'), position, attachment })
  }
}

async function insertAttachment(
  trx: Transaction<Tables>,
  { workspaceId, emailId }: EmailJob,
  { id, position, attachment }: { id: string; position: number; attachment: ParsedAttachment },
): Promise<void> {
  const { filename, contentType, contentId, disposition, sha256, content } = attachment
  await trx
    .insertInto('attachments')
    .values({
      id,
      workspace_id: workspaceId,
      email_id: emailId,
      filename,
      content_type: contentType,
      size_bytes: content.length,
      content_id: contentId,
      disposition,
      sha256,
      position,
    })
    .execute()
  await trx
    .insertInto('attachment_contents')
    .values({ attachment_id: id, workspace_id: workspaceId, content })
    .execute()
}
