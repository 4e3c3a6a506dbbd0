import type { Database, Tenant } from '../../../lib/database/database.ts'
import type { EmailStatus } from '../../../lib/database/tables.ts'
import { toSearchVector } from '../../../lib/database/text-search.ts'
import { createId } from '../../../lib/id/id.ts'

/** An e-mail as the worker leaves it; what is not given has its default. Returns its id. */
export async function storeEmail(
  database: Database,
  tenant: Tenant,
  email: {
    inboxId: string
    status?: EmailStatus
    from?: string
    labels?: string[]
    /** What it can be found by. */
    words?: string
    receivedAt?: string
    hasAttachments?: boolean
    text?: string
    raw?: string
  },
): Promise<string> {
  const id = createId('eml')
  await database.inTenant(tenant, async trx => {
    await trx
      .insertInto('emails')
      .values({
        id,
        organization_id: tenant.organizationId,
        workspace_id: tenant.workspaceId,
        inbox_id: email.inboxId,
        status: email.status ?? 'processed',
        from_address: email.from ?? null,
        labels: email.labels ?? [],
        text_search: toSearchVector([email.words ?? null]),
        ...(email.receivedAt === undefined ? {} : { received_at: email.receivedAt }),
        has_attachments: email.hasAttachments ?? false,
        size_bytes: email.raw?.length ?? 0,
      })
      .execute()
    const key = { email_id: id, workspace_id: tenant.workspaceId }
    if (email.text !== undefined) {
      await trx
        .insertInto('email_texts')
        .values({ ...key, text: email.text })
        .execute()
    }
    if (email.raw !== undefined) {
      await trx
        .insertInto('email_sources')
        .values({ ...key, raw: Buffer.from(email.raw, 'latin1') })
        .execute()
    }
  })
  return id
}
