import { sql, type Transaction } from 'kysely'
import { type Test, test } from 'tap'
import type { Scope } from '../../../lib/database/database.ts'
import { openDatabase } from '../../../lib/database/open-database.ts'
import type { Tables } from '../../../lib/database/tables.ts'
import { insertInbox } from '../../app/support/insert-email.ts'
import { createTestLocation, openTestDatabase } from '../../app/support/open-test-database.ts'
import { seedTwoOrganizations } from '../../app/support/seed-two-organizations.ts'

test('transactions', async t => {
  const location = await createTestLocation(t)
  const errors: string[] = []
  // One connection on both engines, so that whoever comes next gets the one that was just used.
  const database = await openDatabase(location, { poolSize: 1, onError: error => errors.push(error.message) })
  t.teardown(() => database.close())
  const { acme, billing, main } = await seedTwoOrganizations(database)
  const inboxId = await insertInbox(database, billing)

  async function assertNothingLeft(t: Test) {
    const { rows } = await database.pool.query(
      `select current_user = session_user as is_owner,
        coalesce(current_setting('app.organization_id', true), '') as organization,
        coalesce(current_setting('app.workspace_id', true), '') as workspace`,
    )
    t.strictSame(rows, [{ is_owner: true, organization: '', workspace: '' }])
    t.equal((await database.asOwner(inboxes)).length, 1, 'the owner sees every row')
    t.strictSame(await database.inTenant(main, inboxes), [])
  }

  t.test('a transaction that fails in its work rejects with that error and leaves nothing', async t => {
    const failure = new Error('no')
    await t.rejects(
      database.inTenant(billing, async trx => {
        await trx.deleteFrom('inboxes').execute()
        throw failure
      }),
      failure,
    )
    await assertNothingLeft(t)
  })

  t.test('a transaction that fails in the database leaves nothing', async t => {
    await t.rejects(
      database.inTenant(billing, trx => sql`select 1/0`.execute(trx)),
      { code: '22012' },
    )
    await assertNothingLeft(t)
  })

  t.test('work that swallows an error of the database is not taken for committed', async t => {
    await t.rejects(
      database.inTenant(billing, async trx => {
        await trx.deleteFrom('inboxes').execute()
        await sql`select 1/0`.execute(trx).catch(() => {})
      }),
    )
    await assertNothingLeft(t)
  })

  t.test('one that commits leaves nothing', async t => {
    t.strictSame(await database.inTenant(billing, inboxes), [inboxId])
    await assertNothingLeft(t)
  })

  const scopes: Scope[] = [
    { kind: 'tenant', tenant: billing },
    { kind: 'organization', organizationId: acme.id },
    { kind: 'owner' },
  ]
  for (const scope of scopes) {
    t.test(
      `an open transaction of the ${scope.kind} kind sees what its kind may, and leaves nothing`,
      async t => {
        for (const end of ['commit', 'rollback'] as const) {
          const open = await database.begin(scope)
          t.strictSame(await inboxes(open.trx), scope.kind === 'organization' ? [] : [inboxId])
          await open[end]()
          await assertNothingLeft(t)
        }
      },
    )
  }

  t.test('a tenant without ids is refused and its connection given back', async t => {
    const tenant = { organizationId: acme.id, workspaceId: '' }
    await t.rejects(database.begin({ kind: 'tenant', tenant }), /lacks an id/)
    await t.rejects(database.inTenant(tenant, inboxes), /lacks an id/)
    await t.rejects(database.inOrganization('', inboxes), /lacks an id/)
    await assertNothingLeft(t)
  })

  t.test(
    'rolling back to a savepoint undoes what came after it, errors included, and keeps the scope',
    async t => {
      const open = await database.begin({ kind: 'tenant', tenant: billing })
      await open.trx.updateTable('inboxes').set({ name: 'before' }).execute()
      await open.savepoint('handler')
      await open.trx.updateTable('inboxes').set({ name: 'after' }).execute()
      await t.rejects(sql`select 1/0`.execute(open.trx))
      await open.rollbackTo('handler')
      t.strictSame(await inboxes(open.trx), [inboxId])
      await open.commit()
      const names = await database.inTenant(billing, trx =>
        trx.selectFrom('inboxes').select('name').execute(),
      )
      t.strictSame(names, [{ name: 'before' }])
      await assertNothingLeft(t)
    },
  )

  t.test('a failing query of the pool does not take the connection with it', async t => {
    const results = await Promise.allSettled([
      database.pool.query('select 1/0'),
      database.pool.query('select $1::int as n', [1]),
      database.pool.query('select nonsense from nowhere'),
      database.inTenant(billing, inboxes),
      database.pool.query('select $1::int', ['x']),
      database.pool.query('select $1::int as n', [2]),
    ])
    t.strictSame(
      results.map(result => result.status),
      ['rejected', 'fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
    )
    await assertNothingLeft(t)
  })

  t.test('statements of one message that end inside a transaction leave nothing', async t => {
    errors.length = 0
    await t.rejects(database.pool.query(`begin; set local role kobana_app; select 1/0`), { code: '22012' })
    await assertNothingLeft(t)
    const client = await database.pool.connect()
    await client.query(`begin; set local role kobana_app; select set_config('app.workspace_id', 'x', true)`)
    client.release()
    await assertNothingLeft(t)
    t.strictSame([...new Set(errors)], ['a connection was released inside a transaction'])
  })

  t.test('transactions at the same time keep to their tenants', async t => {
    const tenants = Array.from({ length: 40 }, (_, index) => (index % 2 ? billing : main))
    const seen = await Promise.all(tenants.map(tenant => database.inTenant(tenant, inboxes)))
    t.strictSame(
      seen,
      tenants.map(tenant => (tenant === billing ? [inboxId] : [])),
    )
  })
})

test('after close nothing is accepted, and closing again does nothing', async t => {
  const database = await openTestDatabase(t)
  const slow = database.asOwner(trx => sql`select pg_sleep(0.2)`.execute(trx))
  await new Promise(resolve => setTimeout(resolve, 50))
  await Promise.all([database.close(), database.close()])
  await t.resolves(slow, 'what was running has ended well')
  t.equal(await database.isReady(), false)
  await t.rejects(database.asOwner(inboxes))
})

test('both engines read the same values', async t => {
  const database = await openTestDatabase(t)
  const { rows } = await database.pool.query(
    `select timestamptz '2026-01-31 09:30:00.5-03' as halves, timestamptz '2026-01-31 09:30:00.123456Z' as micros,
      timestamptz '0044-03-15 12:00:00Z BC' as ancient, date '2026-01-31' as day, 9007199254740991::bigint as most,
      (select count(*) from emails) as counted, array['a', 'b,"c'] as list, '{"a":[1]}'::jsonb as json,
      '\\x00ff'::bytea as bytes, null::timestamptz as missing`,
  )
  t.strictSame(rows, [
    {
      halves: '2026-01-31T12:30:00.500Z',
      micros: '2026-01-31T09:30:00.123Z',
      ancient: '-000043-03-15T12:00:00.000Z',
      day: '2026-01-31',
      most: Number.MAX_SAFE_INTEGER,
      counted: 0,
      list: ['a', 'b,"c'],
      json: { a: [1] },
      bytes: Buffer.from([0, 255]),
      missing: null,
    },
  ])
})

test('a bigint that a number cannot hold is an error of its query only', async t => {
  const database = await openTestDatabase(t)
  await t.rejects(database.pool.query('select 9007199254740993::bigint'), RangeError)
  t.equal(await database.isReady(), true)
})

async function inboxes(trx: Transaction<Tables>): Promise<string[]> {
  const rows = await trx.selectFrom('inboxes').select('id').execute()
  return rows.map(row => row.id)
}
