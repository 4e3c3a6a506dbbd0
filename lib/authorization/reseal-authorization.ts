import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { toClientContext } from './client-secret.ts'
import { toKeyContext } from './stored-keys.ts'

/**
 * Seals with the first key what the authorization server sealed with another one, so that this can be removed. As the
 * owner, who alone reaches these tables. Safe to run in several processes at once.
 */
export async function resealAuthorization(database: Database, secretBox: SecretBox): Promise<void> {
  const { prefix } = secretBox
  const reseal = (sealed: string, context: string) => secretBox.seal(secretBox.open(sealed, context), context)
  await database.asOwner(async trx => {
    const keys = await trx
      .selectFrom('oauth_keys')
      .select(['id', 'sealed'])
      .where(sql<boolean>`not starts_with(sealed, ${prefix})`)
      .forUpdate()
      .execute()
    for (const { id, sealed } of keys) {
      const changed = { sealed: reseal(sealed, toKeyContext(id)) }
      await trx.updateTable('oauth_keys').set(changed).where('id', '=', id).execute()
    }
    const clients = await trx
      .selectFrom('oauth_clients')
      .select(['id', 'secret'])
      .where(sql<boolean>`not starts_with(secret, ${prefix})`)
      .forUpdate()
      .execute()
    for (const { id, secret } of clients) {
      if (secret === null) continue
      const changed = { secret: reseal(secret, toClientContext(id)) }
      await trx.updateTable('oauth_clients').set(changed).where('id', '=', id).execute()
    }
  })
}
