import { sql } from 'kysely'
import type { Database, Tenant } from '../../../lib/database/database.ts'
import { createId } from '../../../lib/id/id.ts'

/** A workspace's inbox under an address that nobody else has; returns its id. */
export async function insertInbox(database: Database, tenant: Tenant): Promise<string> {
  const id = createId('inb')
  const row = { id, ...columnsOf(tenant), address: `${id}@inbox.test`, name: 'Inbox' }
  await database.inTenant(tenant, trx => trx.insertInto('inboxes').values(row).execute())
  return id
}

/** An e-mail without source, text or attachments, as the columns' defaults have it; returns its id. */
export async function insertEmail(
  database: Database,
  tenant: Tenant,
  more: { inboxId: string; messageId?: string },
): Promise<string> {
  const id = createId('eml')
  const row = {
    id,
    ...columnsOf(tenant),
    inbox_id: more.inboxId,
    message_id: more.messageId ?? null,
    size_bytes: 1,
  }
  await database.inTenant(tenant, trx => trx.insertInto('emails').values(row).execute())
  return id
}

/** Many e-mails in one statement, a minute apart, of 20 senders, 10 labels and every status. */
export async function insertManyEmails(
  database: Database,
  tenant: Tenant,
  { inboxId, count }: { inboxId: string; count: number },
): Promise<void> {
  const { organization_id, workspace_id } = columnsOf(tenant)
  // As the owner, for speed: row-level security would check every row.
  await database.asOwner(trx =>
    sql`insert into emails (id, organization_id, workspace_id, inbox_id, status, from_address, subject,
        received_at, size_bytes, labels, text_search)
      select 'eml_' || substr(${inboxId}, 16, 14) || lpad(n::text, 12, '0'),
        ${organization_id}, ${workspace_id}, ${inboxId},
        (array['received', 'processing', 'processed', 'failed', 'rejected'])[1 + n % 5],
        'sender' || n % 20 || '@example.com', 'Message ' || n,
        timestamptz '2026-01-01 00:00Z' + n * interval '1 minute', 1000,
        array['label' || n % 10], array_to_tsvector(array['message', 'word' || n])
      from generate_series(1, ${count}::int) as n`.execute(trx),
  )
}

function columnsOf(tenant: Tenant) {
  return { organization_id: tenant.organizationId, workspace_id: tenant.workspaceId }
}
