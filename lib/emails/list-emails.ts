import { sql, type Transaction } from 'kysely'
import { z } from 'zod'
import type { Tenant } from '../database/database.ts'
import { hasLabel } from '../database/has-label.ts'
import type { Tables } from '../database/tables.ts'
import { matchesText } from '../database/text-search.ts'
import { timestampInput } from '../fields/timestamp.ts'
import { parseCursor } from '../paging/cursor.ts'
import { type Page, toPage } from '../paging/page.ts'
import { emailColumns, toEmail } from './email-row.ts'
import { type Email, type EmailsQuery, emailId } from './schema.ts'
import { visibleEmails } from './visible-emails.ts'

/**
 * One page of the workspace's e-mails, newest first: by the time they were received, then by id. The next page
 * begins behind a position and not at a count, so that mail which arrives meanwhile neither hides nor repeats
 * any. Throws `validation_failed` for a cursor of another list.
 */
export async function listEmails(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { limit, cursor, ...filters }: EmailsQuery,
): Promise<Page<Email>> {
  const listing = { operation: 'emails_list', owner: tenant.workspaceId, filters }
  let query = filtered(trx, tenant, filters)
  if (cursor !== undefined) {
    const [receivedAt, id] = parseCursor(listing, cursor, position)
    query = query.where(sql<boolean>`(emails.received_at, emails.id) < (${receivedAt}::timestamptz, ${id})`)
  }
  const rows = await query
    .select(emailColumns)
    .orderBy('emails.received_at', 'desc')
    .orderBy('emails.id', 'desc')
    .limit(limit + 1)
    .execute()
  return toPage(rows.map(toEmail), { limit, listing, position: row => [row.received_at, row.id] })
}

const position = z.tuple([timestampInput, emailId])

type Filters = Omit<EmailsQuery, 'limit' | 'cursor'>

function filtered(trx: Transaction<Tables>, tenant: Tenant, filters: Filters) {
  let query = visibleEmails(trx, tenant)
  if (filters.status) query = query.where('emails.status', '=', filters.status)
  if (filters.inbox_id) query = query.where('emails.inbox_id', '=', filters.inbox_id)
  if (filters.from) query = query.where(isFrom(filters.from))
  if (filters.label) query = query.where(hasLabel(filters.label))
  if (filters.q) query = query.where(matchesText(filters.q))
  if (filters.received_after) query = query.where('emails.received_at', '>=', filters.received_after)
  if (filters.received_before) query = query.where('emails.received_at', '<', filters.received_before)
  if (filters.has_attachments === undefined) return query
  return query.where('emails.has_attachments', '=', filters.has_attachments)
}

/** A domain is compared from its `@` on, so that `@bank.example` is not found in `@evilbank.example`. */
function isFrom(sender: string) {
  if (!sender.startsWith('@')) return sql<boolean>`emails.from_address = ${sender}`
  return sql<boolean>`right(emails.from_address, char_length(${sender}::text)) = ${sender}`
}
