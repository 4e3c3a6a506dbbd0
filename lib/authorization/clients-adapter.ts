import { sql } from 'kysely'
import type { Adapter } from 'oidc-provider'
import type { Database } from '../database/database.ts'
import { toJson } from '../database/to-json.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { toClientContext } from './client-secret.ts'
import { orUnavailable } from './store-errors.ts'

/** Where clients are kept that registered themselves (RFC 7591); those with a metadata document are kept nowhere. */
export function createClientsAdapter(database: Database, secretBox: SecretBox): Adapter {
  return {
    async upsert(id, { client_secret: clientSecret, ...payload }) {
      const secret = clientSecret === undefined ? null : secretBox.seal(clientSecret, toClientContext(id))
      await orUnavailable(() =>
        database.asOwner(trx =>
          trx
            .insertInto('oauth_clients')
            .values({ id, data: toJson(payload), secret })
            .execute(),
        ),
      )
    },

    async find(id) {
      // Of no other form are the ids that are given out here. The URL of a metadata document is in no table.
      if (!/^[\w-]{1,100}$/.test(id)) return undefined
      const row = await orUnavailable(() =>
        database.asOwner(trx =>
          trx.selectFrom('oauth_clients').select(['data', 'secret']).where('id', '=', id).executeTakeFirst(),
        ),
      )
      if (!row) return undefined
      const { data, secret } = row
      return secret === null ? data : { ...data, client_secret: secretBox.open(secret, toClientContext(id)) }
    },

    async destroy(id) {
      await orUnavailable(() =>
        database.asOwner(trx => trx.deleteFrom('oauth_clients').where('id', '=', id).execute()),
      )
    },

    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    consume: async () => {},
    revokeByGrantId: async () => {},
  }
}

/** Notes that a client is in use, an hour apart at most; nothing happens for one that is kept nowhere. */
export async function touchClient(database: Database, id: string): Promise<void> {
  await database.asOwner(trx =>
    trx
      .updateTable('oauth_clients')
      .set({ last_used_at: sql<string>`now()` })
      .where('id', '=', id)
      .where(sql<boolean>`(last_used_at is null or last_used_at < now() - interval '1 hour')`)
      .execute(),
  )
}
