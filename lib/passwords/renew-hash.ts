import type { Database } from '../database/database.ts'
import { hashPassword, isCurrentHash } from './hash-password.ts'

/**
 * Hashes a password anew, whose owner has just given it, where its hash costs less than one made today. One that was
 * chosen meanwhile stays. As the owner, as for logging in.
 */
export async function renewHash(
  database: Database,
  { userId, password, hash }: { readonly userId: string; readonly password: string; readonly hash: string },
): Promise<void> {
  if (isCurrentHash(hash)) return
  const renewed = await hashPassword(password)
  await database.asOwner(trx =>
    trx
      .updateTable('credentials')
      .set({ hash: renewed })
      .where('user_id', '=', userId)
      .where('hash', '=', hash)
      .execute(),
  )
}
