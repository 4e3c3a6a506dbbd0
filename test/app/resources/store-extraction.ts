import type { Database, Tenant } from '../../../lib/database/database.ts'
import type { AttachmentReading } from '../../../lib/database/tables.ts'
import type { ExtractionKind } from '../../../lib/extract/extraction.ts'
import { createId } from '../../../lib/id/id.ts'

/** Something found in the text of an e-mail, as the worker stores it. Returns its id. */
export async function storeExtraction(
  database: Database,
  tenant: Tenant,
  found: {
    emailId: string
    inboxId: string
    kind: ExtractionKind
    value: string
    details?: object
    dueOn?: string
    foundAt?: string
    position?: number
  },
): Promise<string> {
  const id = createId('ext')
  await database.inTenant(tenant, trx =>
    trx
      .insertInto('extractions')
      .values({
        id,
        workspace_id: tenant.workspaceId,
        email_id: found.emailId,
        inbox_id: found.inboxId,
        kind: found.kind,
        value: found.value,
        details: JSON.stringify(found.details ?? {}),
        source: 'text',
        found_offset: 5,
        found_length: found.value.length,
        excerpt: `around ${found.value}`,
        due_on: found.dueOn ?? null,
        position: found.position ?? 0,
        ...(found.foundAt !== undefined && { found_at: found.foundAt }),
      })
      .execute(),
  )
  return id
}

/** A file of an e-mail with its content, as the worker stores it. Returns its id. */
export async function storeAttachment(
  database: Database,
  tenant: Tenant,
  file: {
    emailId: string
    filename?: string | null
    contentType?: string
    content?: Buffer
    position?: number
    reading?: AttachmentReading
  },
): Promise<string> {
  const id = createId('att')
  const content = file.content ?? Buffer.from('content')
  await database.inTenant(tenant, async trx => {
    await trx
      .insertInto('attachments')
      .values({
        id,
        workspace_id: tenant.workspaceId,
        email_id: file.emailId,
        filename: file.filename === undefined ? 'file.txt' : file.filename,
        content_type: file.contentType ?? 'text/plain',
        size_bytes: content.length,
        sha256: 'a'.repeat(64),
        position: file.position ?? 0,
        reading: file.reading ?? null,
      })
      .execute()
    await trx
      .insertInto('attachment_contents')
      .values({ attachment_id: id, workspace_id: tenant.workspaceId, content })
      .execute()
  })
  return id
}
