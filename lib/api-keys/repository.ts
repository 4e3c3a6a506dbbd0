import { sql, type Transaction } from 'kysely'
import { z } from 'zod'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { createId } from '../id/id.ts'
import { parseCursor } from '../paging/cursor.ts'
import { type Page, toPage } from '../paging/page.ts'
import { problem } from '../problem/problem.ts'
import type { Holder } from './holder.ts'
import { createKeyText, toKeyHash, toKeyHint } from './key-text.ts'
import { type ApiKey, type ApiKeysQuery, type ApiKeyWithSecret, apiKeyId, type NewApiKey } from './schema.ts'

/** How many keys that have not expired a person may have in a workspace. */
export const maximumApiKeys = 50

/**
 * Throws `validation_failed` for scopes that the access token does not cover. To be asked before an answer that was kept
 * is given again, too: it holds the key.
 */
export function checkKeyScopes(holder: Holder, scopes: readonly string[]): void {
  const excess = scopes.filter(scope => !holder.scopes.includes(scope))
  if (excess.length === 0) return
  const message = `must be scopes of the access token, which does not cover ${excess.join(', ')}`
  throw problem('validation_failed', `scopes ${message}.`, {
    errors: [{ path: 'scopes', code: 'custom', message }],
  })
}

/**
 * A new key for the person in the workspace, whose scopes have been checked. Throws `conflict` when the person has too
 * many keys.
 */
export async function createApiKey(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { holder, key }: { holder: Holder; key: NewApiKey },
): Promise<ApiKeyWithSecret> {
  await refuseTooMany(trx, tenant, holder)
  const text = createKeyText()
  const row = await trx
    .insertInto('api_keys')
    .values({
      id: createId('key'),
      organization_id: tenant.organizationId,
      workspace_id: tenant.workspaceId,
      user_id: holder.userId,
      name: key.name,
      hash: toKeyHash(text),
      hint: toKeyHint(text),
      scopes: key.scopes,
      expires_at: new Date(Date.now() + key.expires_in_days * 86_400_000).toISOString(),
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return { ...row, key: text }
}

/**
 * One page of the keys that the person may see in the workspace, newest first, expired ones included and revoked ones
 * not. Throws `validation_failed` for another list's cursor.
 */
export async function listApiKeys(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { holder, query: { limit, cursor } }: { holder: Holder; query: ApiKeysQuery },
): Promise<Page<ApiKey>> {
  const { userId, seesAll } = holder
  const owner = `${tenant.workspaceId} ${seesAll ? '' : userId}`
  const listing = { operation: 'api_keys_list', owner, filters: {} }
  let query = keysOf(trx, tenant)
  if (!seesAll) query = query.where('user_id', '=', userId)
  if (cursor !== undefined) {
    const [id] = parseCursor(listing, cursor, z.tuple([apiKeyId]))
    query = query.where('id', '<', id)
  }
  const rows = await query
    .select(columns)
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return toPage(rows, { limit, listing, position: row => [row.id] })
}

/**
 * Ends a key for good; gives its hash, by which it is remembered. Throws `not_found`, also for what is somebody
 * else's and not the person's to revoke.
 */
export async function revokeApiKey(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { holder, id }: { holder: Holder; id: string },
): Promise<string> {
  if (!apiKeyId.safeParse(id).success) throw apiKeyNotFound()
  let update = trx
    .updateTable('api_keys')
    .set({ revoked_at: sql<string>`now()` })
    .where('organization_id', '=', tenant.organizationId)
    .where('workspace_id', '=', tenant.workspaceId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
  if (!holder.revokesAll) update = update.where('user_id', '=', holder.userId)
  const row = await update.returning('hash').executeTakeFirst()
  if (!row) throw apiKeyNotFound()
  return row.hash
}

const columns = [
  'id',
  'name',
  'user_id',
  'hint',
  'scopes',
  'created_at',
  'expires_at',
  'last_used_at',
] as const

function keysOf(trx: Transaction<Tables>, { organizationId, workspaceId }: Tenant) {
  return trx
    .selectFrom('api_keys')
    .where('organization_id', '=', organizationId)
    .where('workspace_id', '=', workspaceId)
    .where('revoked_at', 'is', null)
}

/** The lock makes two who create at once count one after the other. */
async function refuseTooMany(trx: Transaction<Tables>, tenant: Tenant, { userId }: Holder): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`api_keys ${tenant.workspaceId} ${userId}`}, 0))`.execute(
    trx,
  )
  const { count } = await keysOf(trx, tenant)
    .where('user_id', '=', userId)
    .where('expires_at', '>', sql<string>`now()`)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  if (count < maximumApiKeys) return
  const detail = `You have ${maximumApiKeys} keys in this workspace, which is the most. Revoke one first.`
  throw problem('conflict', detail)
}

/** One answer for ids that never existed, that are malformed, revoked, somebody else's or another tenant's. */
function apiKeyNotFound() {
  return problem('not_found', 'You have no such API key in this workspace.')
}
