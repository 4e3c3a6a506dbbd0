import { test } from 'tap'
import { findAccountByEmail } from '../../../lib/people/find-account.ts'
import { openTestDatabase } from '../../app/support/open-test-database.ts'
import { seedTwoOrganizations } from '../../app/support/seed-two-organizations.ts'

test('accounts by e-mail address', async t => {
  const database = await openTestDatabase(t)
  const { acme, globex, ana, bia, leo } = await seedTwoOrganizations(database)

  t.test('nobody has an address that was never given out, or what is no address', async t => {
    for (const email of [
      '',
      '@',
      'ana',
      'ana@',
      '@acme.test',
      'ana@acme.test.',
      'ana@globex.test',
      '%@acme.test',
    ]) {
      t.equal(await findAccountByEmail(database, email), null, email)
    }
  })

  t.test('a person is found among all organizations, in any case, with blanks around', async t => {
    const nothing = { passwordHash: null, loginsEnded: null }
    const account = { userId: ana, organizationId: acme.id, name: 'Ana', disabled: false, ...nothing }
    for (const email of ['ana@acme.test', 'ANA@Acme.Test', '  ana@acme.test\n']) {
      t.strictSame(await findAccountByEmail(database, email), account, email)
    }
    t.match(await findAccountByEmail(database, 'leo@globex.test'), {
      userId: leo,
      organizationId: globex.id,
    })
  })

  t.test('a disabled account says so, and what there is of a password', async t => {
    await database.asOwner(async trx => {
      await trx
        .updateTable('users')
        .set({ disabled_at: '2026-01-01T00:00:00.000Z' })
        .where('id', '=', bia)
        .execute()
      await trx
        .insertInto('credentials')
        .values({ user_id: bia, organization_id: acme.id, hash: 'a hash' })
        .execute()
    })
    t.match(await findAccountByEmail(database, 'bia@acme.test'), {
      disabled: true,
      passwordHash: 'a hash',
      loginsEnded: 0,
    })
  })

  t.test('a domain may be written in Unicode or as it stands in DNS', async t => {
    await database.asOwner(trx =>
      trx.updateTable('users').set({ email: 'leo@xn--mnchen-3ya.test' }).where('id', '=', leo).execute(),
    )
    for (const email of ['leo@münchen.test', 'Leo@MÜNCHEN.test', 'leo@xn--mnchen-3ya.test']) {
      t.match(await findAccountByEmail(database, email), { userId: leo }, email)
    }
  })
})
