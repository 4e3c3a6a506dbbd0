import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { KeyClaims } from '../identity/principals.ts'
import { createRemembered } from '../identity/remembered.ts'
import { withImpliedScopes } from '../identity/scopes.ts'
import { isKeyText, toKeyHash } from './key-text.ts'

/** What is known of API keys, each remembered for a while. */
export interface KnownApiKeys {
  /** What a key says, or null where there is no such key, or it has expired or was revoked. */
  find(text: string): Promise<KeyClaims | null>
  /** Drops what is remembered of a key that was revoked, by its hash. */
  forget(hash: string): void
}

interface KnownKey extends KeyClaims {
  readonly expiresAt: number
}

/** Milliseconds: a revoked key is refused within them, on every replica. */
const rememberedFor = 30_000

export function createKnownApiKeys(database: Database): KnownApiKeys {
  const keys = createRemembered(hash => readKey(database, hash))
  return {
    async find(text) {
      if (!isKeyText(text)) return null
      const key = await keys.get(toKeyHash(text), rememberedFor)
      return key && key.expiresAt > Date.now() ? key : null
    },
    forget: keys.forget,
  }
}

/**
 * As the owner: whose key it is must be known before it is known for which workspace to look. That it is looked up
 * means that it is used, which is noted once a minute at most.
 */
async function readKey(database: Database, hash: string): Promise<KnownKey | null> {
  return database.asOwner(async trx => {
    const row = await trx
      .selectFrom('api_keys')
      .select(['id', 'user_id', 'workspace_id', 'scopes', 'expires_at'])
      .select(sql<boolean>`last_used_at is null or last_used_at < now() - interval '1 minute'`.as('is_due'))
      .where('hash', '=', hash)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', sql<string>`now()`)
      .executeTakeFirst()
    if (!row) return null
    const { id, user_id: userId, workspace_id: workspaceId, is_due: isDue } = row
    if (isDue) {
      await trx
        .updateTable('api_keys')
        .set({ last_used_at: sql<string>`now()` })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .execute()
    }
    return {
      id,
      userId,
      workspaceId,
      scopes: withImpliedScopes(row.scopes),
      expiresAt: Date.parse(row.expires_at),
    }
  })
}
