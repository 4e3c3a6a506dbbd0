import type { Transaction } from 'kysely'
import { createKeyText, toKeyHash, toKeyHint } from '../../../lib/api-keys/key-text.ts'
import type { Tenant } from '../../../lib/database/database.ts'
import type { Tables } from '../../../lib/database/tables.ts'
import { createId } from '../../../lib/id/id.ts'

/** A key of a person in a workspace, good for an hour; its text and id. */
export async function insertApiKey(
  trx: Transaction<Tables>,
  { organizationId, workspaceId }: Tenant,
  userId: string,
): Promise<{ id: string; text: string }> {
  const [id, text] = [createId('key'), createKeyText()]
  await trx
    .insertInto('api_keys')
    .values({
      id,
      organization_id: organizationId,
      workspace_id: workspaceId,
      user_id: userId,
      name: 'A key',
      hash: toKeyHash(text),
      hint: toKeyHint(text),
      scopes: ['emails:read'],
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    })
    .execute()
  return { id, text }
}
