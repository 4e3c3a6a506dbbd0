import { sql, type Transaction } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { toJson } from '../database/to-json.ts'
import type { Extraction, ExtractionKind } from '../extract/extraction.ts'
import { createId } from '../id/id.ts'
import type { EmailJob } from '../jobs/queues.ts'

export interface StoredExtraction {
  readonly id: string
  readonly kind: ExtractionKind
}

/** What an e-mail's extractions were until now, by kind and value. */
export type PreviousExtractions = ReadonlyMap<string, { readonly id: string; readonly found_at: string }>

/** Removes what was found in an e-mail before, and remembers it. */
export async function takeExtractions(
  trx: Transaction<Tables>,
  { workspaceId, emailId }: EmailJob,
): Promise<PreviousExtractions> {
  const rows = await trx
    .deleteFrom('extractions')
    .where('workspace_id', '=', workspaceId)
    .where('email_id', '=', emailId)
    .returning(['id', 'kind', 'value', 'found_at'])
    .execute()
  return new Map(rows.map(row => [`${row.kind} ${row.value}`, row]))
}

/**
 * Writes what was found, in one statement of one parameter: there may be nine hundred values. A value that was
 * found before keeps its id and the time when it was found first.
 */
export async function insertExtractions(
  trx: Transaction<Tables>,
  { workspaceId, emailId }: EmailJob,
  {
    inboxId,
    extractions,
    attachmentIds,
    previous,
  }: {
    inboxId: string
    extractions: readonly Extraction[]
    /** By place in the message, which is what `attachment_id` of an extraction says until now. */
    attachmentIds: readonly string[]
    previous: PreviousExtractions
  },
): Promise<StoredExtraction[]> {
  if (extractions.length === 0) return []
  const ids = toIds(extractions, previous)
  const rows = extractions.map(({ kind, value, details, found }, position) => ({
    id: ids[position],
    kind,
    value,
    details,
    source: found.source,
    attachment_id: found.attachment_id === undefined ? null : attachmentIds[Number(found.attachment_id)],
    found_offset: found.offset,
    found_length: found.length,
    excerpt: found.excerpt ?? null,
    due_on: kind === 'boleto' ? details.due_date : null,
    position,
    found_at: previous.get(`${kind} ${value}`)?.found_at ?? null,
  }))
  await sql`
    insert into extractions (id, workspace_id, email_id, inbox_id, kind, value, details, source, attachment_id,
      found_offset, found_length, excerpt, due_on, position, found_at)
    select id, ${workspaceId}, ${emailId}, ${inboxId}, kind, value, details, source, attachment_id,
      found_offset, found_length, excerpt, due_on, position, coalesce(found_at, now())
    from jsonb_to_recordset(${toJson(rows)}::jsonb) as found(id text, kind text, value text, details jsonb,
      source text, attachment_id text, found_offset integer, found_length integer, excerpt text, due_on date,
      position integer, found_at timestamptz)`.execute(trx)
  return extractions.map(({ kind }, position) => ({ id: ids[position] ?? '', kind }))
}

/** Made from the last to the first: lists go by id, downwards, and show a message in its own order. */
function toIds(extractions: readonly Extraction[], previous: PreviousExtractions): string[] {
  return extractions
    .toReversed()
    .map(({ kind, value }) => previous.get(`${kind} ${value}`)?.id ?? createId('ext'))
    .reverse()
}
