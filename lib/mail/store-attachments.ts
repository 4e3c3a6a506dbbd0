import type { Transaction } from 'kysely'
import type { AttachmentReading, Tables } from '../database/tables.ts'
import { createId } from '../id/id.ts'
import type { EmailJob } from '../jobs/queues.ts'
import type { ParsedAttachment } from './parse-message.ts'

/** Contents of so many bytes go in one statement: together they may be as large as a message. */
const mostBytes = 8_388_608
/** PostgreSQL takes 65,535 parameters in a statement; a message has at most 250 attachments by default. */
const mostRows = 1_000

/**
 * Replaces the attachments of an e-mail and gives their ids, by place in the message. One that is the same as
 * before keeps its id.
 */
export async function storeAttachments(
  trx: Transaction<Tables>,
  job: EmailJob,
  {
    attachments,
    readings,
    hadSome,
  }: {
    attachments: readonly ParsedAttachment[]
    readings: readonly (AttachmentReading | null)[]
    hadSome: boolean
  },
): Promise<string[]> {
  const { workspaceId, emailId } = job
  const previous = hadSome ? await takeAttachments(trx, job) : []
  const ids = attachments.map(({ sha256 }, position) => {
    const same = previous.find(row => row.position === position && row.sha256 === sha256)
    return same?.id ?? createId('att')
  })
  const rows = attachments.map((attachment, position) => ({
    id: ids[position] ?? '',
    workspace_id: workspaceId,
    email_id: emailId,
    filename: attachment.filename,
    content_type: attachment.contentType,
    size_bytes: attachment.content.length,
    content_id: attachment.contentId,
    disposition: attachment.disposition,
    sha256: attachment.sha256,
    position,
    reading: readings[position] ?? null,
  }))
  for (let start = 0; start < rows.length; start += mostRows) {
    await trx
      .insertInto('attachments')
      .values(rows.slice(start, start + mostRows))
      .execute()
  }
  const contents = attachments.map(({ content }, position) => ({
    attachment_id: ids[position] ?? '',
    workspace_id: workspaceId,
    content,
  }))
  for (const batch of toBatches(contents)) await trx.insertInto('attachment_contents').values(batch).execute()
  return ids
}

function takeAttachments(trx: Transaction<Tables>, { workspaceId, emailId }: EmailJob) {
  return trx
    .deleteFrom('attachments')
    .where('workspace_id', '=', workspaceId)
    .where('email_id', '=', emailId)
    .returning(['id', 'position', 'sha256'])
    .execute()
}

/** In their order; a file that is larger than a batch is one by itself. */
function toBatches<Row extends { content: Buffer }>(rows: readonly Row[]): Row[][] {
  const batches: Row[][] = []
  let bytes = 0
  for (const row of rows) {
    const last = batches.at(-1)
    bytes += row.content.length
    if (last && bytes <= mostBytes && last.length < mostRows) last.push(row)
    else {
      batches.push([row])
      bytes = row.content.length
    }
  }
  return batches
}
