import { sql, type Transaction } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { createPrivateJwk, type PrivateJwk, privateJwkSchema, type SigningKeys } from './signing-keys.ts'

/** Milliseconds for which one key signs. */
const period = 90 * 86_400_000
/** Milliseconds for which a new key is published before it signs, so that whoever keeps a copy of the set has it. */
const notice = 3_600_000
/** Milliseconds for which a key is published that signs no more: longer than any access token lasts. */
const afterglow = 3_600_000

interface StoredKey {
  readonly id: string
  readonly sealed: string
  /** Milliseconds. */
  readonly activeFrom: number
}

/**
 * The keys that production signs with: in the database, sealed, so that all replicas have the same. Whichever replica
 * finds none makes the first; whichever finds the newest one old makes its successor.
 */
export function createStoredKeys(database: Database, secretBox: SecretBox): SigningKeys {
  return {
    // As the owner, who alone reads this table.
    load: () =>
      database.asOwner(async trx => {
        let keys = await readKeys(trx)
        if (isDue(keys[0])) {
          await sql`select pg_advisory_xact_lock(hashtext('kobana.oauth_keys'))`.execute(trx)
          keys = await readKeys(trx)
          if (isDue(keys[0])) keys = [await createKey(trx, secretBox, keys[0]), ...keys]
        }
        return toPublished(keys).map(({ id, sealed }) =>
          privateJwkSchema.parse(JSON.parse(secretBox.open(sealed, toKeyContext(id)))),
        )
      }),
  }
}

/** What a key is sealed for. */
export function toKeyContext(id: string): string {
  return `oauth-key ${id}`
}

/** The newest first. */
async function readKeys(trx: Transaction<Tables>): Promise<StoredKey[]> {
  const rows = await trx
    .selectFrom('oauth_keys')
    .select(['id', 'sealed', 'active_from'])
    .orderBy('active_from', 'desc')
    .execute()
  return rows.map(row => ({ id: row.id, sealed: row.sealed, activeFrom: Date.parse(row.active_from) }))
}

function isDue(newest: StoredKey | undefined): boolean {
  return newest === undefined || newest.activeFrom + period <= Date.now()
}

/** The very first key has nobody to give notice to. */
async function createKey(
  trx: Transaction<Tables>,
  secretBox: SecretBox,
  previous: StoredKey | undefined,
): Promise<StoredKey> {
  const jwk: PrivateJwk = createPrivateJwk()
  const sealed = secretBox.seal(JSON.stringify(jwk), toKeyContext(jwk.kid))
  const activeFrom = previous ? Date.now() + notice : Date.now()
  await trx
    .insertInto('oauth_keys')
    .values({ id: jwk.kid, sealed, active_from: new Date(activeFrom).toISOString() })
    .execute()
  return { id: jwk.kid, sealed, activeFrom }
}

/** The one that signs, then those that will, and those whose last tokens may still be out. */
function toPublished(keys: readonly StoredKey[]): readonly StoredKey[] {
  const now = Date.now()
  const signing = keys.find(key => key.activeFrom <= now) ?? keys[keys.length - 1]
  const others = keys.filter((key, at) => {
    const successor = keys[at - 1]
    return key !== signing && (!successor || successor.activeFrom + afterglow > now)
  })
  return signing ? [signing, ...others] : []
}
