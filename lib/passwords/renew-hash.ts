import type { Database } from '../database/database.ts'
import { hashPassword, isCurrentHash } from './hash-password.ts'

export interface StoredPassword {
  readonly userId: string
  readonly password: string
  /** As it is stored. */
  readonly hash: string
  /** Of a hash made today, `PASSWORD_COST`. */
  readonly cost: number
}

/**
 * Hashes a password anew, whose owner has just given it, where its hash costs less than one made today. One that was
 * chosen meanwhile stays. As the owner, as for logging in.
 */
export async function renewHash(
  database: Database,
  { userId, password, hash, cost }: StoredPassword,
): Promise<void> {
  if (isCurrentHash(hash, cost)) return
  const renewed = await hashPassword(password, cost)
  await database.asOwner(trx =>
    trx
      .updateTable('credentials')
      .set({ hash: renewed })
      .where('user_id', '=', userId)
      .where('hash', '=', hash)
      .execute(),
  )
}
