import type { Transaction } from 'kysely'
import type { Tenant } from '../database/database.ts'
import type { EmailStatus, Tables } from '../database/tables.ts'
import { emailNotFound } from './repository.ts'
import { emailId } from './schema.ts'
import { visibleEmails } from './visible-emails.ts'

/** That the workspace has this e-mail, and its state; for what belongs to one. Throws `not_found`. */
export async function checkEmail(
  trx: Transaction<Tables>,
  tenant: Tenant,
  id: string,
): Promise<{ status: EmailStatus }> {
  if (!emailId.safeParse(id).success) throw emailNotFound()
  const row = await visibleEmails(trx, tenant)
    .where('emails.id', '=', id)
    .select('emails.status')
    .executeTakeFirst()
  if (!row) throw emailNotFound()
  return row
}
