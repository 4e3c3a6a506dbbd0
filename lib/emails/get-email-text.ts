import { sql, type Transaction } from 'kysely'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { emailNotFound } from './repository.ts'
import { emailId } from './schema.ts'
import { visibleEmails } from './visible-emails.ts'

/** Characters of text in one document: several times what an ordinary message has, and still readable at once. */
export const documentCharacters = 131_072

/**
 * The text of an e-mail as one document, '' when it has none or is not processed. A longer one is cut, and its last
 * line says so. Throws `not_found`.
 */
export async function getEmailText(trx: Transaction<Tables>, tenant: Tenant, id: string): Promise<string> {
  if (!emailId.safeParse(id).success) throw emailNotFound()
  const row = await visibleEmails(trx, tenant)
    .leftJoin('email_texts', join =>
      join
        .onRef('email_texts.email_id', '=', 'emails.id')
        .on('email_texts.workspace_id', '=', tenant.workspaceId),
    )
    .where('emails.id', '=', id)
    .select([
      sql<string | null>`left(email_texts.text, ${documentCharacters}::int)`.as('text'),
      sql<number>`coalesce(char_length(email_texts.text), 0)`.as('length'),
    ])
    .executeTakeFirst()
  if (!row) throw emailNotFound()
  const { text, length } = row
  if (length <= documentCharacters) return text ?? ''
  return `${text}\n\n[Cut after ${documentCharacters} of ${length} characters: emails_get with text_offset ${documentCharacters} goes on.]`
}
