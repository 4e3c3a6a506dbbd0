import type { Database } from '../database/database.ts'
import type { SigningKey } from '../identity/signing-key.ts'
import { defaultPasswordCost, hashPassword } from '../passwords/hash-password.ts'
import { deriveDemoPassword, deriveDemoPasswordName } from './demo-password.ts'
import { takeSteps } from './demo-progress.ts'
import { demoRows } from './demo-rows.ts'

/**
 * Lets the demo's people log in: once for every signing key, since the password is drawn from it; after that, what they
 * have changed it to stays. As the owner: nobody else may write what people log in with.
 */
export async function seedPasswords(
  { database, signingKey }: { readonly database: Database; readonly signingKey: SigningKey },
  done: ReadonlySet<string>,
): Promise<void> {
  const step = `passwords-${deriveDemoPasswordName(signingKey)}`
  if (done.has(step)) return
  const password = deriveDemoPassword(signingKey)
  // Each hash has a salt of its own, and they are made before the transaction: it holds the database.
  const rows = await Promise.all(
    demoRows.users.map(async ({ id, organization_id }) => ({
      user_id: id,
      organization_id,
      hash: await hashPassword(password, defaultPasswordCost),
    })),
  )
  await database.asOwner(async trx => {
    const steps = await takeSteps(trx, [step])
    if (!steps.has(step)) return
    const users = await trx
      .selectFrom('users')
      .select('id')
      .where(
        'id',
        'in',
        rows.map(row => row.user_id),
      )
      .execute()
    const known = new Set(users.map(({ id }) => id))
    const present = rows.filter(row => known.has(row.user_id))
    if (present.length === 0) return
    await trx
      .insertInto('credentials')
      .values(present)
      .onConflict(conflict =>
        conflict.column('user_id').doUpdateSet(({ ref }) => ({ hash: ref('excluded.hash') })),
      )
      .execute()
  })
}
