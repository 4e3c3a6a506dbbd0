import { sql, type Transaction } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { toSecretContext } from './secret.ts'

/**
 * Seals with the first key whatever is sealed with another one, so that this can be removed, and forgets previous
 * secrets whose time is over. As the owner: it is about all tenants. Safe to run in several processes at once.
 */
export async function resealSecrets(database: Database, secretBox: SecretBox): Promise<void> {
  await database.asOwner(async trx => {
    await trx
      .updateTable('webhooks')
      .set({ previous_secret: null, previous_secret_until: null })
      .where('previous_secret_until', '<=', sql<string>`now()`)
      .execute()
    for (const row of await findOutdated(trx, secretBox)) {
      const context = toSecretContext({ workspaceId: row.workspace_id, id: row.id })
      const reseal = (sealed: string) => secretBox.seal(secretBox.open(sealed, context), context)
      await trx
        .updateTable('webhooks')
        .set({
          secret: reseal(row.secret),
          previous_secret: row.previous_secret === null ? null : reseal(row.previous_secret),
        })
        .where('workspace_id', '=', row.workspace_id)
        .where('id', '=', row.id)
        .execute()
    }
  })
}

function findOutdated(trx: Transaction<Tables>, { prefix }: SecretBox) {
  return trx
    .selectFrom('webhooks')
    .where(eb =>
      eb.or([
        sql<boolean>`not starts_with(secret, ${prefix})`,
        sql<boolean>`not starts_with(previous_secret, ${prefix})`,
      ]),
    )
    .select(['workspace_id', 'id', 'secret', 'previous_secret'])
    .forUpdate()
    .execute()
}
