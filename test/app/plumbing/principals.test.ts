import { test } from 'tap'
import { createPrincipals } from '../../../lib/identity/principals.ts'
import { openTestDatabase } from '../support/open-test-database.ts'
import { seedTwoOrganizations } from '../support/seed-two-organizations.ts'

test('what is known of people', async t => {
  const database = await openTestDatabase(t)
  const people = await seedTwoOrganizations(database)
  const principals = createPrincipals(database)
  const claims = {
    user: { id: people.bruno },
    clientId: null,
    scopes: [],
    defaultWorkspaceId: null,
    grantId: null,
  }
  const roleOf = async () => (await principals.find(claims))?.memberships[0]?.role
  const change = (role: 'admin' | 'viewer') =>
    database.asOwner(trx =>
      trx.updateTable('memberships').set({ role }).where('user_id', '=', people.bruno).execute(),
    )
  const { now } = Date
  let later = 0
  Date.now = () => now() + later
  t.teardown(() => {
    Date.now = now
  })

  await t.test('is what the database has, the claims of the token added', async t => {
    const { workspaceId } = people.billing
    t.same(
      await principals.find({ ...claims, clientId: 'c', scopes: ['emails:read'], defaultWorkspaceId: 'w' }),
      {
        id: people.bruno,
        organizationId: people.acme.id,
        clientId: 'c',
        scopes: ['emails:read'],
        defaultWorkspaceId: 'w',
        onlyWorkspaceId: null,
        memberships: [{ workspaceId, workspaceName: 'Billing', role: 'operator' }],
      },
    )
  })

  await t.test('is remembered for 30 seconds and no longer', async t => {
    await change('viewer')
    later = 29_000
    t.equal(await roleOf(), 'operator')
    later = 31_000
    t.equal(await roleOf(), 'viewer')
  })

  await t.test('is asked anew, at once, where what is remembered does not suffice', async t => {
    const principal = await principals.find(claims)
    if (!principal) return t.fail('he is there')
    await change('admin')
    t.equal((await principals.find(claims))?.memberships[0]?.role, 'viewer')
    t.equal((await principals.refresh(principal))?.memberships[0]?.role, 'admin')
    t.equal((await principals.find(claims))?.memberships[0]?.role, 'admin', 'and remembered')
  })

  await t.test('is nothing once the account is disabled, or where there is none', async t => {
    await database.asOwner(trx =>
      trx
        .updateTable('users')
        .set({ disabled_at: '2026-01-01T00:00:00.000Z' })
        .where('id', '=', people.bruno)
        .execute(),
    )
    later += 31_000
    t.equal(await principals.find(claims), null)
    t.equal(await principals.find({ ...claims, user: { id: 'usr_nobody' } }), null)
  })

  await t.test('is not remembered when it could not be learned', async t => {
    let isAway = true
    const flaky = createPrincipals({
      ...database,
      asOwner: work => (isAway ? Promise.reject(new Error('away')) : database.asOwner(work)),
    })
    const anas = { ...claims, user: { id: people.ana } }
    await t.rejects(flaky.find(anas), /away/)
    isAway = false
    t.equal((await flaky.find(anas))?.memberships.length, 2)
  })
})
