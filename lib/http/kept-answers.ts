import { sql, type Transaction } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { createId } from '../id/id.ts'
import type { SecretBox } from '../secrets/secret-box.ts'

/** Whose idempotency key it is: the same key of another person, client or workspace is another one. */
export interface KeyOwner {
  readonly organizationId: string
  /** Null on what acts on the organization. */
  readonly workspaceId: string | null
  readonly userId: string
  readonly clientId: string | null
  readonly key: string
}

/** The first answer to a request, which its repetitions get. */
export interface KeptAnswer {
  readonly fingerprint: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** Waits until no other transaction holds the same key, and holds it until this one ends. */
export async function holdKey(trx: Transaction<Tables>, owner: KeyOwner, patience: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${`${patience}ms`}, true)`.execute(trx)
  await sql`select pg_advisory_xact_lock(hashtextextended(${toKeyName(owner)}, 0))`.execute(trx)
}

/** The same for the same key of the same owner, and for nothing else. */
export function toKeyName({ workspaceId, userId, clientId, key }: KeyOwner): string {
  return JSON.stringify(['idempotency', userId, clientId, workspaceId, key])
}

/** The answer kept under a key, unless its time is over. */
export async function findAnswer(
  trx: Transaction<Tables>,
  owner: KeyOwner,
  secretBox: SecretBox,
): Promise<KeptAnswer | undefined> {
  const kept = await ofOwner(trx, owner)
    .select(['fingerprint', 'status', 'headers', 'body'])
    .where('expires_at', '>', sql<string>`now()`)
    .executeTakeFirst()
  return kept && { ...kept, body: kept.body === null ? null : secretBox.open(kept.body, toKeyName(owner)) }
}

/**
 * Keeps an answer for 24 hours, in place of one under the same key whose time is over. Its body is sealed: some hold a
 * secret that is shown once, and what is sealed always is never forgotten to be.
 */
export async function keepAnswer(
  trx: Transaction<Tables>,
  owner: KeyOwner,
  { answer, secretBox }: { answer: KeptAnswer; secretBox: SecretBox },
): Promise<void> {
  const past = ofOwner(trx, owner).select('id')
  await trx.deleteFrom('idempotency_keys').where('id', 'in', past).execute()
  await trx
    .insertInto('idempotency_keys')
    .values({
      id: createId('key'),
      organization_id: owner.organizationId,
      workspace_id: owner.workspaceId,
      user_id: owner.userId,
      client_id: owner.clientId ?? '',
      key: owner.key,
      fingerprint: answer.fingerprint,
      status: answer.status,
      headers: JSON.stringify(answer.headers),
      body: answer.body === null ? null : secretBox.seal(answer.body, toKeyName(owner)),
      expires_at: sql<string>`now() + interval '24 hours'`,
    })
    .execute()
}

/** Removes what is past its time, everywhere, and says how many. As the owner: it belongs to all tenants. */
export async function removeExpiredAnswers(database: Database): Promise<number> {
  const result = await database.asOwner(trx =>
    trx.deleteFrom('idempotency_keys').where('expires_at', '<=', sql<string>`now()`).executeTakeFirst(),
  )
  return Number(result.numDeletedRows)
}

function ofOwner(trx: Transaction<Tables>, { workspaceId, userId, clientId, key }: KeyOwner) {
  return trx
    .selectFrom('idempotency_keys')
    .where('user_id', '=', userId)
    .where('client_id', '=', clientId ?? '')
    .where(sql`coalesce(workspace_id, '')`, '=', workspaceId ?? '')
    .where('key', '=', key)
}
