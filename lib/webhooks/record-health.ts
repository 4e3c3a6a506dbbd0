import { sql, type Transaction } from 'kysely'
import type { Tenant } from '../database/database.ts'
import type { Tables, WebhookDisabledCode } from '../database/tables.ts'
import type { AttemptErrorCode } from './attempt-errors.ts'

/** A webhook's receiver works: whatever went wrong before is over. */
export async function recordSuccess(
  trx: Transaction<Tables>,
  tenant: Tenant,
  webhookId: string,
): Promise<void> {
  await webhookOf(trx, tenant, webhookId)
    .set({ failing_since: null })
    .where('failing_since', 'is not', null)
    .execute()
}

/**
 * Notes since when a webhook fails, and disables it when that is too long ago or its receiver says that it is gone. A
 * test counts only for the latter: it is made to find things out.
 */
export async function recordFailure(
  trx: Transaction<Tables>,
  tenant: Tenant,
  failure: { webhookId: string; errorCode: AttemptErrorCode; isTest: boolean; giveUpAfter: number },
): Promise<void> {
  const { webhookId, errorCode, isTest, giveUpAfter } = failure
  if (errorCode === 'gone') return disable(trx, tenant, { webhookId, code: 'gone' })
  if (isTest) return
  await webhookOf(trx, tenant, webhookId)
    .set({ failing_since: sql<string>`now()` })
    .where('failing_since', 'is', null)
    .execute()
  const limit = sql<boolean>`failing_since <= now() - ${giveUpAfter}::float8 * interval '1 second'`
  const row = await trx
    .selectFrom('webhooks')
    .where('workspace_id', '=', tenant.workspaceId)
    .where('id', '=', webhookId)
    .where(limit)
    .select('id')
    .executeTakeFirst()
  if (row) await disable(trx, tenant, { webhookId, code: 'failing' })
}

/** Whether it is enabled is what people edit, and so its version grows: who edits what they saw before is told. */
async function disable(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { webhookId, code }: { webhookId: string; code: WebhookDisabledCode },
): Promise<void> {
  await webhookOf(trx, tenant, webhookId)
    .set({
      enabled: false,
      disabled_code: code,
      disabled_at: sql<string>`now()`,
      version: sql<number>`version + 1`,
      updated_at: sql<string>`now()`,
    })
    .where('enabled', '=', true)
    .execute()
}

function webhookOf(trx: Transaction<Tables>, { workspaceId }: Tenant, webhookId: string) {
  return trx.updateTable('webhooks').where('workspace_id', '=', workspaceId).where('id', '=', webhookId)
}
