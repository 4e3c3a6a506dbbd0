import { sql, type Transaction } from 'kysely'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'

/**
 * Puts an e-mail back to where it was when it arrived, to be processed again. What was read from it before stays
 * readable until the worker replaces it. Lock the row first. The version stays: nobody edited anything.
 */
export async function resetEmail(trx: Transaction<Tables>, tenant: Tenant, id: string): Promise<void> {
  await trx
    .updateTable('emails')
    .set({
      status: 'received',
      failure_code: null,
      failure_reason: null,
      processed_at: null,
      updated_at: sql<string>`now()`,
    })
    .where('id', '=', id)
    .where('workspace_id', '=', tenant.workspaceId)
    .execute()
}
