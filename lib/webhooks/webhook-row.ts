import { type Selectable, sql, type Transaction } from 'kysely'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { problem } from '../problem/problem.ts'
import { checkIfMatch } from '../versions/if-match.ts'
import { attemptErrors } from './attempt-errors.ts'
import { type Webhook, webhookId } from './schema.ts'

/** Which webhook is about to be written, and the versions that the caller expects, as `If-Match` has them. */
export interface WebhookTarget {
  readonly id: string
  readonly ifMatch: string | undefined
}

/** What is shown of a webhook; never its secrets. */
export const webhookColumns = [
  'id',
  'url',
  'description',
  'event_types',
  'enabled',
  'disabled_code',
  'disabled_at',
  'failing_since',
  'previous_secret_until',
  'version',
  'created_at',
  'updated_at',
] as const

type WebhookRow = Pick<Selectable<Tables['webhooks']>, (typeof webhookColumns)[number]>

export function toWebhook({ disabled_code, previous_secret_until: until, ...row }: WebhookRow): Webhook {
  const isOver = until === null || Date.parse(until) <= Date.now()
  return {
    ...row,
    disabled_reason: disabled_code && disabledReasons[disabled_code],
    previous_secret_until: isOver ? null : until,
  }
}

const disabledReasons = {
  gone: attemptErrors.gone,
  failing:
    'Every attempt has failed for days. See its deliveries for the reason, mend the receiver, then enable the webhook.',
}

export function visibleWebhooks(trx: Transaction<Tables>, tenant: Tenant) {
  return trx
    .selectFrom('webhooks')
    .where('workspace_id', '=', tenant.workspaceId)
    .where('deleted_at', 'is', null)
}

/** The row, locked until the transaction ends. Throws `not_found`, then `precondition_failed`. */
export async function lockWebhook(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { id, ifMatch }: WebhookTarget,
): Promise<WebhookRow> {
  if (!webhookId.safeParse(id).success) throw webhookNotFound()
  const row = await visibleWebhooks(trx, tenant)
    .where('id', '=', id)
    .select(webhookColumns)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw webhookNotFound()
  checkIfMatch(ifMatch, row.version)
  return row
}

/** An edit of a locked webhook: its version grows with it. */
export function editWebhook(trx: Transaction<Tables>, tenant: Tenant, id: string) {
  return trx
    .updateTable('webhooks')
    .set({ version: sql<number>`version + 1`, updated_at: sql<string>`now()` })
    .where('workspace_id', '=', tenant.workspaceId)
    .where('id', '=', id)
}

/** One answer for ids that never existed, that are malformed, deleted or another tenant's: it tells nothing. */
export function webhookNotFound() {
  return problem('not_found', 'There is no such webhook in this workspace.')
}
