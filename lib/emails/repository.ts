import { sql, type Transaction } from 'kysely'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { problem } from '../problem/problem.ts'
import { checkIfMatch } from '../versions/if-match.ts'
import { cutText } from './cut-text.ts'
import { type EmailRow, emailColumns, toEmail } from './email-row.ts'
import { type Email, type EmailChanges, type EmailWithText, emailId } from './schema.ts'
import { visibleEmails } from './visible-emails.ts'

/** Which e-mail is about to be written, and the versions that the caller expects, as `If-Match` has them. */
export interface EmailTarget {
  readonly id: string
  readonly ifMatch: string | undefined
}

/** How much text one answer holds, in bytes of UTF-8: what a model reads without losing the thread. */
export const textPageBytes = 32_768

/**
 * An e-mail with one page of its text, from the character `textOffset` on. Throws `not_found`.
 * The page is cut in the database first: a message may hold megabytes of text, and characters are at least one
 * byte long.
 */
export async function getEmail(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { id, textOffset }: { id: string; textOffset: number },
): Promise<EmailWithText> {
  if (!emailId.safeParse(id).success) throw emailNotFound()
  const row = await visibleEmails(trx, tenant)
    .leftJoin('email_texts', join =>
      join
        .onRef('email_texts.email_id', '=', 'emails.id')
        .on('email_texts.workspace_id', '=', tenant.workspaceId),
    )
    .where('emails.id', '=', id)
    .select(emailColumns)
    .select([
      sql<string | null>`substr(email_texts.text, ${textOffset + 1}::int, ${textPageBytes}::int)`.as('text'),
      sql<number>`coalesce(char_length(email_texts.text), 0)`.as('text_length'),
    ])
    .executeTakeFirst()
  if (!row) throw emailNotFound()
  const { text, text_length, ...columns } = row
  return { ...toEmail(columns), ...toTextPage({ text, length: text_length, offset: textOffset }) }
}

/** The message as it arrived, byte for byte. Throws `not_found`. */
export async function getEmailSource(trx: Transaction<Tables>, tenant: Tenant, id: string): Promise<Buffer> {
  if (!emailId.safeParse(id).success) throw emailNotFound()
  const row = await visibleEmails(trx, tenant)
    .innerJoin('email_sources', 'email_sources.email_id', 'emails.id')
    .where('email_sources.workspace_id', '=', tenant.workspaceId)
    .where('emails.id', '=', id)
    .select('email_sources.raw')
    .executeTakeFirst()
  if (!row) throw emailNotFound()
  return row.raw
}

/**
 * The e-mail's row, locked until the transaction ends: what is decided on it still holds when it is written.
 * Throws `not_found`, then `precondition_failed`.
 */
export async function lockEmail(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { id, ifMatch }: EmailTarget,
): Promise<EmailRow> {
  if (!emailId.safeParse(id).success) throw emailNotFound()
  const row = await visibleEmails(trx, tenant)
    .where('emails.id', '=', id)
    .select(emailColumns)
    .forUpdate('emails')
    .executeTakeFirst()
  if (!row) throw emailNotFound()
  checkIfMatch(ifMatch, row.version)
  return row
}

/**
 * Edits an e-mail's labels and read mark. A change that changes nothing leaves the version as it is, so that
 * repeating one is harmless. Throws `not_found`, then `precondition_failed`.
 */
export async function updateEmail(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { changes, ...target }: EmailTarget & { changes: EmailChanges },
): Promise<Email> {
  const row = await lockEmail(trx, tenant, target)
  const labels = changes.labels ? [...new Set(changes.labels)] : row.labels
  const read = changes.read ?? row.read
  if (read === row.read && isSameList(labels, row.labels)) return toEmail(row)
  const updated = await trx
    .updateTable('emails')
    .set({ labels, read, version: row.version + 1, updated_at: sql<string>`now()` })
    .where('emails.id', '=', row.id)
    .where('emails.workspace_id', '=', tenant.workspaceId)
    .returning(emailColumns)
    .executeTakeFirstOrThrow()
  return toEmail(updated)
}

/** Hides an e-mail everywhere, at once and for good. Throws `not_found`, then `precondition_failed`. */
export async function deleteEmail(
  trx: Transaction<Tables>,
  tenant: Tenant,
  target: EmailTarget,
): Promise<void> {
  const { id } = await lockEmail(trx, tenant, target)
  await trx
    .updateTable('emails')
    .set({ deleted_at: sql<string>`now()`, updated_at: sql<string>`now()` })
    .where('id', '=', id)
    .where('workspace_id', '=', tenant.workspaceId)
    .execute()
}

function toTextPage({ text, length, offset }: { text: string | null; length: number; offset: number }) {
  const cut = cutText(text ?? '', textPageBytes)
  const end = offset + cut.characters
  const truncated = end < length
  return {
    text: text === null ? null : cut.text,
    text_offset: offset,
    text_length: length,
    text_truncated: truncated,
    next_text_offset: truncated ? end : null,
  }
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index])
}

/** One answer for ids that never existed, that are malformed, deleted or another tenant's: it tells nothing. */
export function emailNotFound() {
  return problem('not_found', 'There is no such e-mail in this workspace.')
}
