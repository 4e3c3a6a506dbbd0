import type { Transaction } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { createRemembered } from '../identity/remembered.ts'

/** What is known of consents, each remembered for a while. */
export interface KnownGrants {
  /** Whether a consent was neither withdrawn nor has run out. */
  isLive(grantId: string): Promise<boolean>
  /** Drops what is remembered of a consent that was withdrawn: on this process its tokens end at once. */
  forget(grantId: string): void
}

/** Milliseconds: the tokens of a consent that was withdrawn are refused within them, on every replica. */
const rememberedFor = 30_000

export function createKnownGrants(database: Database): KnownGrants {
  const expiries = createRemembered(grantId => readExpiry(database, grantId))
  return {
    async isLive(grantId) {
      const expiresAt = await expiries.get(grantId, rememberedFor)
      return expiresAt !== null && expiresAt > Date.now()
    },
    forget: expiries.forget,
  }
}

/** In milliseconds; as the owner, who alone reads this table. */
async function readExpiry(database: Database, grantId: string): Promise<number | null> {
  const grant = await database.asOwner(trx =>
    trx.selectFrom('oauth_grants').select('expires_at').where('id', '=', grantId).executeTakeFirst(),
  )
  return grant ? Date.parse(grant.expires_at) : null
}

/** Withdraws a consent: with it go its codes and refresh tokens, and its access tokens are refused. */
export async function endGrant(trx: Transaction<Tables>, grantId: string): Promise<void> {
  await trx.deleteFrom('oauth_grants').where('id', '=', grantId).execute()
  await trx.deleteFrom('oauth_records').where('grant_id', '=', grantId).execute()
}

/** The workspace in which a client acts that names none, as it was chosen with the consent. */
export async function chooseWorkspace(
  database: Database,
  grantId: string,
  workspaceId: string | null,
): Promise<void> {
  await database.asOwner(trx =>
    trx.updateTable('oauth_grants').set({ workspace_id: workspaceId }).where('id', '=', grantId).execute(),
  )
}

/** Null where there is no such consent, or nothing to choose from. */
export async function findWorkspace(database: Database, grantId: string): Promise<string | null> {
  const grant = await database.asOwner(trx =>
    trx.selectFrom('oauth_grants').select('workspace_id').where('id', '=', grantId).executeTakeFirst(),
  )
  return grant?.workspace_id ?? null
}
