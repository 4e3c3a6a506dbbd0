import { test } from 'tap'
import { deriveDemoPassword } from '../../../lib/demo/demo-password.ts'
import { openDemoProgress } from '../../../lib/demo/demo-progress.ts'
import { demoRows } from '../../../lib/demo/demo-rows.ts'
import { seedPasswords } from '../../../lib/demo/seed-passwords.ts'
import { seedTenants } from '../../../lib/demo/seed-tenants.ts'
import {
  defaultPasswordCost as cost,
  hashPassword,
  passwordMatches,
} from '../../../lib/passwords/hash-password.ts'
import { passwordSchema } from '../../../lib/passwords/password-schema.ts'
import { findAccountByEmail } from '../../../lib/people/find-account.ts'
import { openTestDatabase } from '../../app/support/open-test-database.ts'

const keys = [
  { privateKey: 'one', publicKey: '' },
  { privateKey: 'another', publicKey: '' },
] as const

test('the password of a demo is readable, its own, and one that people could choose', async t => {
  const [one, another] = keys.map(deriveDemoPassword)
  t.match(one, /^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3}$/)
  t.not(one, another)
  t.equal(passwordSchema('ana@acme.test').parse(one), one)
})

test("the demo's people can log in, in a directory of an earlier demo too", async t => {
  const database = await openTestDatabase(t)
  const seed = async (signingKey: (typeof keys)[number]) =>
    seedPasswords({ database, signingKey }, await openDemoProgress(database))
  const hashes = () =>
    database.asOwner(trx =>
      trx.selectFrom('credentials').select(['user_id', 'hash']).orderBy('user_id').execute(),
    )
  await seedTenants(database)
  await seed(keys[0])
  const first = await hashes()

  t.test('each with a hash of their own of the same password', async t => {
    t.strictSame(
      first.map(row => row.user_id),
      demoRows.users.map(user => user.id),
    )
    t.equal(new Set(first.map(row => row.hash)).size, first.length)
    const account = await findAccountByEmail(database, 'leo@globex.test')
    t.equal(await passwordMatches(deriveDemoPassword(keys[0]), account?.passwordHash ?? null, cost), true)
  })

  t.test('a second start leaves them, and what somebody has changed theirs to', async t => {
    const changed = { user_id: first[1]?.user_id ?? '', hash: await hashPassword('chosen by herself', cost) }
    await database.asOwner(trx =>
      trx
        .updateTable('credentials')
        .set({ hash: changed.hash })
        .where('user_id', '=', changed.user_id)
        .execute(),
    )
    await seed(keys[0])
    t.strictSame(await hashes(), [first[0], changed, ...first.slice(2)])
  })

  t.test('with another signing key the password that is printed is the one that holds', async t => {
    await seed(keys[1])
    const account = await findAccountByEmail(database, 'ana@acme.test')
    t.equal(await passwordMatches(deriveDemoPassword(keys[1]), account?.passwordHash ?? null, cost), true)
  })
})
