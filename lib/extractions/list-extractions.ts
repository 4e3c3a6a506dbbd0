import { sql, type Transaction } from 'kysely'
import { z } from 'zod'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { visibleEmails } from '../emails/visible-emails.ts'
import { timestampInput } from '../fields/timestamp.ts'
import { parseCursor } from '../paging/cursor.ts'
import { type Page, toPage } from '../paging/page.ts'
import { extractionColumns, toExtraction } from './extraction-row.ts'
import { type ExtractionItem, type ExtractionsQuery, extractionId } from './schema.ts'

/**
 * One page of what was proved in the workspace's e-mails, newest first: by the time it was found, then by id;
 * of one message, in the order of its kinds. Throws `validation_failed` for a cursor of another list.
 */
export async function listExtractions(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { limit, cursor, ...filters }: ExtractionsQuery,
): Promise<Page<ExtractionItem>> {
  const listing = { operation: 'extractions_list', owner: tenant.workspaceId, filters }
  let query = filtered(trx, tenant, filters)
  if (cursor !== undefined) {
    const [foundAt, id] = parseCursor(listing, cursor, z.tuple([timestampInput, extractionId]))
    query = query.where(
      sql<boolean>`(extractions.found_at, extractions.id) < (${foundAt}::timestamptz, ${id})`,
    )
  }
  const rows = await query
    .select(extractionColumns)
    .orderBy('extractions.found_at', 'desc')
    .orderBy('extractions.id', 'desc')
    .limit(limit + 1)
    .execute()
  return toPage(rows.map(toExtraction), { limit, listing, position: row => [row.found_at, row.id] })
}

/** Those of e-mails that are there: what is deleted takes them along, at once. */
export function visibleExtractions(trx: Transaction<Tables>, tenant: Tenant) {
  return visibleEmails(trx, tenant)
    .innerJoin('extractions', 'extractions.email_id', 'emails.id')
    .where('extractions.workspace_id', '=', tenant.workspaceId)
}

function filtered(
  trx: Transaction<Tables>,
  tenant: Tenant,
  filters: Omit<ExtractionsQuery, 'limit' | 'cursor'>,
) {
  const { kind, inbox_id, email_id, value, due_after, due_before, found_after, found_before } = filters
  let query = visibleExtractions(trx, tenant)
  if (kind) query = query.where('extractions.kind', '=', kind)
  if (inbox_id) query = query.where('extractions.inbox_id', '=', inbox_id)
  if (email_id) query = query.where('extractions.email_id', '=', email_id)
  if (value !== undefined) {
    // By the digest, which the index has; two values of one digest are told apart all the same.
    query = query
      .where('extractions.value_hash', '=', sql<string>`md5(${value}::text)`)
      .where('extractions.value', '=', value)
  }
  if (due_after) query = query.where('extractions.due_on', '>=', due_after)
  if (due_before) query = query.where('extractions.due_on', '<', due_before)
  if (found_after) query = query.where('extractions.found_at', '>=', found_after)
  if (found_before) query = query.where('extractions.found_at', '<', found_before)
  return query
}
