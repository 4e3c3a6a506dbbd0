import type { Database, Tenant } from '../../../../lib/database/database.ts'
import { createId } from '../../../../lib/id/id.ts'

/** An active inbox: open to anyone, or with an allowlist to whom it names. */
export async function addInbox(
  database: Database,
  tenant: Tenant,
  allowed: readonly string[] | null = null,
): Promise<string> {
  const id = createId('inb')
  await database.inTenant(tenant, async trx => {
    await trx
      .insertInto('inboxes')
      .values({
        id,
        organization_id: tenant.organizationId,
        workspace_id: tenant.workspaceId,
        address: `${id}@inbox.test`,
        name: 'Invoices',
        sender_policy: allowed ? 'allowlist' : 'anyone',
      })
      .execute()
    for (const pattern of allowed ?? []) {
      await trx
        .insertInto('allowed_senders')
        .values({ workspace_id: tenant.workspaceId, inbox_id: id, pattern })
        .execute()
    }
  })
  return id
}
