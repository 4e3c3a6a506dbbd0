import { sql, type Transaction } from 'kysely'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import type { RevealedWebhook } from './repository.ts'
import { createSecret, toSecretContext } from './secret.ts'
import { editWebhook, lockWebhook, toWebhook, type WebhookTarget, webhookColumns } from './webhook-row.ts'

/**
 * Gives a webhook a new secret, which is answered this once. For `overlapHours` messages are signed with the one before
 * as well; a secret before that one is over at once. Throws `not_found` or `precondition_failed`.
 */
export async function rotateSecret(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { id, ifMatch, overlapHours, secretBox }: WebhookTarget & { overlapHours: number; secretBox: SecretBox },
): Promise<RevealedWebhook> {
  await lockWebhook(trx, tenant, { id, ifMatch })
  const secret = createSecret()
  const until = sql<string>`now() + ${overlapHours}::int * interval '1 hour'`
  const row = await editWebhook(trx, tenant, id)
    .set(eb => ({
      previous_secret: overlapHours > 0 ? eb.ref('secret') : null,
      previous_secret_until: overlapHours > 0 ? until : null,
      secret: secretBox.seal(secret, toSecretContext({ id, ...tenant })),
    }))
    .returning(webhookColumns)
    .executeTakeFirstOrThrow()
  return { ...toWebhook(row), secret }
}
