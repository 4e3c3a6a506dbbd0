import type { Adapter } from 'oidc-provider'
import type { Database } from '../database/database.ts'
import { toJson } from '../database/to-json.ts'
import { endGrant } from './grants.ts'
import { toExpiry } from './records-adapter.ts'
import { orUnavailable } from './store-errors.ts'

/** Where consents are kept. */
export function createGrantsAdapter(database: Database, onEnd: (grantId: string) => void): Adapter {
  return {
    async upsert(id, payload, expiresIn) {
      const { accountId: userId, clientId } = payload
      if (userId === undefined || clientId === undefined)
        throw new Error('a grant lacks its person or client')
      const changed = { data: toJson(payload), expires_at: toExpiry(expiresIn) }
      await orUnavailable(() =>
        database.asOwner(trx =>
          trx
            .insertInto('oauth_grants')
            .values({ id, user_id: userId, client_id: clientId, ...changed })
            .onConflict(conflict => conflict.column('id').doUpdateSet(changed))
            .execute(),
        ),
      )
    },

    async find(id) {
      const row = await orUnavailable(() =>
        database.asOwner(trx =>
          trx.selectFrom('oauth_grants').select('data').where('id', '=', id).executeTakeFirst(),
        ),
      )
      return row?.data
    },

    async destroy(id) {
      await orUnavailable(() => database.asOwner(trx => endGrant(trx, id)))
      onEnd(id)
    },

    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    consume: async () => {},
    revokeByGrantId: async () => {},
  }
}
