import { sql, type Transaction } from 'kysely'
import type { AttachmentReading, Tables } from '../database/tables.ts'
import type { Extraction } from '../extract/extraction.ts'
import type { EmailJob } from '../jobs/queues.ts'
import type { LockedEmail } from './email-operation.ts'
import type { ParsedMessage } from './parse-message.ts'
import { storeAttachments } from './store-attachments.ts'
import { insertExtractions, type StoredExtraction, takeExtractions } from './store-extractions.ts'

/** What is kept of a message that was processed. */
export interface EmailContent {
  readonly message: ParsedMessage
  readonly extractions: readonly Extraction[]
  readonly readings: readonly (AttachmentReading | null)[]
}

/**
 * Replaces text, attachments and extractions of an e-mail; with null it has none afterwards. What is the same as
 * before keeps its id, so that links to it stay good.
 */
export async function storeContent(
  trx: Transaction<Tables>,
  job: EmailJob,
  { email, content }: { email: LockedEmail; content: EmailContent | null },
): Promise<StoredExtraction[]> {
  await storeText(trx, job, content?.message ?? null)
  // Before the attachments, which would take along what was found in them.
  const previous = await takeExtractions(trx, job)
  const attachmentIds = await storeAttachments(trx, job, {
    attachments: content?.message.attachments ?? [],
    readings: content?.readings ?? [],
    hadSome: email.attachmentCount > 0,
  })
  const { inboxId } = email
  const extractions = content?.extractions ?? []
  return insertExtractions(trx, job, { inboxId, extractions, attachmentIds, previous })
}

async function storeText(
  trx: Transaction<Tables>,
  { workspaceId, emailId }: EmailJob,
  message: ParsedMessage | null,
): Promise<void> {
  if (!message) {
    await trx
      .deleteFrom('email_texts')
      .where('workspace_id', '=', workspaceId)
      .where('email_id', '=', emailId)
      .execute()
    return
  }
  const { text, html } = message
  await trx
    .insertInto('email_texts')
    .values({ workspace_id: workspaceId, email_id: emailId, text, html })
    .onConflict(conflict =>
      conflict
        .columns(['workspace_id', 'email_id'])
        .doUpdateSet({ text: sql<string | null>`excluded.text`, html: sql<string | null>`excluded.html` }),
    )
    .execute()
}
