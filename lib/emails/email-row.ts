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

export function toEmail(row: EmailRow): Email {
  const { failure_code, failure_reason, from_address, from_name, ...rest } = row
  return {
    ...rest,
    failure: failure_code === null ? null : { code: failure_code, reason: failure_reason },
    from: from_address === null ? null : { address: from_address, name: from_name },
  }
}
