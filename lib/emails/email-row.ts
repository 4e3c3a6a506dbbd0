import type { Selectable } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { Email } from './schema.ts'

/** What an answer needs of an e-mail's row; the search vector and the tenant are left in the database. */
export const emailColumns = [
  'emails.id',
  'emails.inbox_id',
  'emails.status',
  'emails.failure_code',
  'emails.failure_reason',
  'emails.message_id',
  'emails.envelope_from',
  'emails.from_address',
  'emails.from_name',
  'emails.to',
  'emails.cc',
  'emails.subject',
  'emails.received_at',
  'emails.sent_at',
  'emails.processed_at',
  'emails.size_bytes',
  'emails.has_attachments',
  'emails.attachment_count',
  'emails.labels',
  'emails.read',
  'emails.version',
  'emails.created_at',
  'emails.updated_at',
] as const

type Column = (typeof emailColumns)[number] extends `emails.${infer Name}` ? Name : never

export type EmailRow = Pick<Selectable<Tables['emails']>, Extract<Column, keyof Tables['emails']>>

/** Member by member: to spread the rest of a row is slow, and a list does it for each (docs/performance.md). */
export function toEmail(row: EmailRow): Email {
  return {
    id: row.id,
    inbox_id: row.inbox_id,
    status: row.status,
    failure: row.failure_code === null ? null : { code: row.failure_code, reason: row.failure_reason },
    message_id: row.message_id,
    envelope_from: row.envelope_from,
    from: row.from_address === null ? null : { address: row.from_address, name: row.from_name },
    to: row.to,
    cc: row.cc,
    subject: row.subject,
    received_at: row.received_at,
    sent_at: row.sent_at,
    processed_at: row.processed_at,
    size_bytes: row.size_bytes,
    has_attachments: row.has_attachments,
    attachment_count: row.attachment_count,
    labels: row.labels,
    read: row.read,
    version: row.version,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
