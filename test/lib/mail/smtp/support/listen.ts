import type { Database, Tenant } from '../../../../../lib/database/database.ts'
import type { InboxStatus } from '../../../../../lib/database/tables.ts'
import { createId } from '../../../../../lib/id/id.ts'
import { type SmtpListener, type SmtpOptions, startSmtp } from '../../../../../lib/mail/smtp/start-smtp.ts'
import type { Teardown } from '../../../../app/support/open-test-database.ts'
import { silent } from '../../../jobs/support/start-jobs.ts'

type ListenOptions = Partial<Omit<SmtpOptions, 'database' | 'smtp'>> & Partial<SmtpOptions['smtp']>

/** A listener on a free port of this machine, closed with the test. */
export async function listen(
  t: Teardown,
  database: Database,
  { certificate = null, maxClients = 100, ...options }: ListenOptions = {},
): Promise<SmtpListener> {
  const smtp = { host: '127.0.0.1', port: 0, name: 'mx.inbox.test', maxClients, certificate }
  const listener = await startSmtp({
    database,
    log: silent,
    smtp,
    maxMessageBytes: 100_000,
    ...options,
    limits: { closeTimeout: 2_000, ...options.limits },
  })
  t.teardown(() => listener.close())
  return listener
}

/** An inbox with an address of its own; unlike those of others, it can be paused or deleted from the start. */
export async function addAddress(
  database: Database,
  tenant: Tenant,
  { address, status = 'active' }: { address: string; status?: InboxStatus },
): Promise<string> {
  const id = createId('inb')
  await database.inTenant(tenant, trx =>
    trx
      .insertInto('inboxes')
      .values({
        id,
        organization_id: tenant.organizationId,
        workspace_id: tenant.workspaceId,
        address,
        name: 'Mail',
        status,
      })
      .execute(),
  )
  return id
}

export interface StoredMessage {
  readonly emailId: string
  readonly raw: string
  readonly envelopeFrom: string | null
  readonly messageId: string | null
  readonly sizeBytes: number
  readonly organizationId: string
  readonly workspaceId: string
  readonly operations: { status: string; created_by: string | null }[]
}

/** What an inbox holds, oldest first. */
export async function readInbox(database: Database, inboxId: string): Promise<StoredMessage[]> {
  const { rows } = await database.pool.query(
    `select emails.id as "emailId", raw, envelope_from as "envelopeFrom", message_id as "messageId",
      size_bytes as "sizeBytes", organization_id as "organizationId", emails.workspace_id as "workspaceId",
      (select json_agg(json_build_object('status', status, 'created_by', created_by)) from operations
        where email_id = emails.id) as operations
    from emails join email_sources on email_id = emails.id where inbox_id = $1 order by emails.id`,
    [inboxId],
  )
  return rows.map(row => ({ ...row, sizeBytes: Number(row.sizeBytes), raw: row.raw.toString('latin1') }))
}
