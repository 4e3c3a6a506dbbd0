import { sql, type Transaction } from 'kysely'
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import type { Database } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { toJson } from '../database/to-json.ts'
import { endGrant } from './grants.ts'
import { toRecordHash } from './record-id.ts'
import { orUnavailable } from './store-errors.ts'

/**
 * Where codes, refresh tokens, sessions and interactions are kept, as the owner: they belong to no tenant. Each is let
 * in by its id alone, so that the id stands in the table as a hash, and nowhere in the record.
 */
export function createRecordsAdapter(
  model: string,
  database: Database,
  onEnd: (grantId: string) => void,
): Adapter {
  const run = <T>(work: (trx: Transaction<Tables>) => Promise<T>): Promise<T> =>
    orUnavailable(() => database.asOwner(work))

  return {
    async upsert(id, payload, expiresIn) {
      const changed = { ...toColumns(payload), expires_at: toExpiry(expiresIn) }
      await run(trx =>
        trx
          .insertInto('oauth_records')
          .values({ model, id_hash: toRecordHash(model, id), ...changed })
          .onConflict(conflict => conflict.columns(['model', 'id_hash']).doUpdateSet(changed))
          .execute(),
      )
    },

    async find(id) {
      const row = await run(trx =>
        trx
          .selectFrom('oauth_records')
          .select(['data', 'consumed_at'])
          .where('model', '=', model)
          .where('id_hash', '=', toRecordHash(model, id))
          .executeTakeFirst(),
      )
      return row && { ...row.data, jti: id, ...toConsumed(row.consumed_at) }
    },

    async findByUid(uid) {
      const row = await run(trx =>
        trx.selectFrom('oauth_records').select('data').where('session_uid', '=', uid).executeTakeFirst(),
      )
      return row?.data
    },

    async consume(id) {
      const hash = toRecordHash(model, id)
      const first = await run(trx => consumeOnce(trx, model, hash))
      if (first) return
      // Another replica was faster between this one's reading and now: the same as coming with a used one
      // (RFC 9700 sections 2.1.1 and 4.14.2), and answered the same.
      const grantId = await run(trx => findGrantId(trx, model, hash))
      if (grantId !== null) {
        await run(trx => endGrant(trx, grantId))
        onEnd(grantId)
      }
      throw new errors.InvalidGrant('it was used already')
    },

    async destroy(id) {
      await run(trx =>
        trx
          .deleteFrom('oauth_records')
          .where('model', '=', model)
          .where('id_hash', '=', toRecordHash(model, id))
          .execute(),
      )
    },

    async revokeByGrantId(grantId) {
      await run(trx =>
        trx.deleteFrom('oauth_records').where('model', '=', model).where('grant_id', '=', grantId).execute(),
      )
    },

    findByUserCode: async () => undefined,
  }
}

/** In so many seconds, by this process's clock, which is the one that everything is compared with. */
export function toExpiry(seconds: number | undefined): string {
  if (seconds === undefined) throw new Error('a record of the authorization server has no end')
  return new Date(Date.now() + seconds * 1000).toISOString()
}

function toColumns({ jti: _id, ...payload }: AdapterPayload) {
  const { session, result } = payload
  // The library notes a session's id with an interaction, and never reads it.
  const { cookie: _cookie, ...named } = session ?? {}
  return {
    // Of an interaction, whoever has just logged in with it: if their password is reset now, it leads nowhere.
    user_id: payload.accountId ?? result?.login?.accountId ?? session?.accountId ?? null,
    grant_id: payload.grantId ?? null,
    session_uid: payload.kind === 'Session' ? (toUid(payload) ?? null) : null,
    data: toJson(session ? { ...payload, session: named } : payload),
  }
}

function toUid(payload: AdapterPayload): string | undefined {
  return 'uid' in payload && typeof payload.uid === 'string' ? payload.uid : undefined
}

function toConsumed(consumedAt: string | null): { consumed?: number } {
  return consumedAt === null ? {} : { consumed: Math.floor(Date.parse(consumedAt) / 1000) }
}

async function consumeOnce(trx: Transaction<Tables>, model: string, hash: string): Promise<boolean> {
  const result = await trx
    .updateTable('oauth_records')
    .set({ consumed_at: sql<string>`now()` })
    .where('model', '=', model)
    .where('id_hash', '=', hash)
    .where('consumed_at', 'is', null)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

async function findGrantId(trx: Transaction<Tables>, model: string, hash: string): Promise<string | null> {
  const row = await trx
    .selectFrom('oauth_records')
    .select('grant_id')
    .where('model', '=', model)
    .where('id_hash', '=', hash)
    .executeTakeFirst()
  return row?.grant_id ?? null
}
