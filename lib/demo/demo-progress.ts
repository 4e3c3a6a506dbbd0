import { sql, type Transaction } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'

/**
 * Which steps of the seeding are done, in a table of the demo's own that production never has. A step is noted
 * in the transaction that does it, so that a kill at any moment leaves neither a step done twice nor one
 * forgotten; and what people delete later does not come back.
 */
export async function openDemoProgress(database: Database): Promise<ReadonlySet<string>> {
  return database.asOwner(async trx => {
    await sql`create table if not exists demo_progress (step text primary key, email_id text)`.execute(trx)
    const { rows } = await sql<{ step: string }>`select step from demo_progress`.execute(trx)
    return new Set(rows.map(row => row.step))
  })
}

/** Notes steps; those that are returned are to be done now, the others were done by a demo on the same database. */
export async function takeSteps(
  trx: Transaction<Tables>,
  steps: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ step: string }>`
    insert into demo_progress (step) select jsonb_array_elements_text(${JSON.stringify(steps)}::jsonb)
    on conflict do nothing returning step`.execute(trx)
  return new Set(rows.map(row => row.step))
}

/** Which e-mail each step made. */
export async function noteEmails(
  trx: Transaction<Tables>,
  made: readonly { step: string; emailId: string }[],
): Promise<void> {
  await sql`
    update demo_progress set email_id = made."emailId"
    from jsonb_to_recordset(${JSON.stringify(made)}::jsonb) as made(step text, "emailId" text)
    where demo_progress.step = made.step`.execute(trx)
}

/** How many of the e-mails that the seeding made are still waiting for the worker, which leaves what is deleted. */
export async function countUnfinished(database: Database): Promise<number> {
  return database.asOwner(async trx => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from demo_progress
      join emails on emails.id = demo_progress.email_id
      join inboxes on inboxes.workspace_id = emails.workspace_id and inboxes.id = emails.inbox_id
      where emails.status in ('received', 'processing')
        and emails.deleted_at is null and inboxes.deleted_at is null`.execute(trx)
    return rows[0]?.count ?? 0
  })
}

/** An e-mail that the seeding made. */
export interface MadeEmail {
  readonly emailId: string
  readonly organizationId: string
  readonly workspaceId: string
}

/** The e-mails of these steps, without those that are deleted or being read; locked until the transaction ends. */
export async function findMadeEmails(
  trx: Transaction<Tables>,
  steps: readonly string[],
): Promise<readonly MadeEmail[]> {
  const { rows } = await sql<MadeEmail>`
    select emails.id as "emailId", emails.organization_id as "organizationId", emails.workspace_id as "workspaceId"
    from demo_progress
    join emails on emails.id = demo_progress.email_id
    join inboxes on inboxes.workspace_id = emails.workspace_id and inboxes.id = emails.inbox_id
    where demo_progress.step = any(${steps}) and emails.status not in ('received', 'processing')
      and emails.deleted_at is null and inboxes.deleted_at is null
    order by emails.received_at for update of emails`.execute(trx)
  return rows
}

/** How many deliveries to these webhooks nobody has attempted yet. */
export async function countUnattempted(database: Database, webhookIds: readonly string[]): Promise<number> {
  return database.asOwner(async trx => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from deliveries
      where webhook_id = any(${webhookIds}) and status = 'pending' and attempt_count = 0`.execute(trx)
    return rows[0]?.count ?? 0
  })
}
