import type { Selectable } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { FoundIn } from '../extract/extraction.ts'
import type { ExtractionItem } from './schema.ts'

export const extractionColumns = [
  'extractions.id',
  'extractions.email_id',
  'extractions.inbox_id',
  'extractions.kind',
  'extractions.value',
  'extractions.details',
  'extractions.source',
  'extractions.attachment_id',
  'extractions.found_offset',
  'extractions.found_length',
  'extractions.excerpt',
  'extractions.found_at',
] as const

type Column = (typeof extractionColumns)[number] extends `extractions.${infer Name}` ? Name : never

export type ExtractionRow = Pick<
  Selectable<Tables['extractions']>,
  Extract<Column, keyof Tables['extractions']>
>

export function toExtraction(row: ExtractionRow): ExtractionItem {
  const { id, email_id, inbox_id, kind, value, details, found_at } = row
  return { id, email_id, inbox_id, kind, value, details, found: toFound(row), found_at }
}

export function toFound({
  source,
  attachment_id,
  found_offset,
  found_length,
  excerpt,
}: ExtractionRow): FoundIn {
  return {
    source,
    ...(attachment_id !== null && { attachment_id }),
    offset: found_offset,
    length: found_length,
    ...(excerpt !== null && { excerpt }),
  }
}
