import { sql } from 'kysely'
import { test } from 'tap'
import { openTestDatabase } from '../../app/support/open-test-database.ts'

test('what the engine answers is read as it was written, whatever its kind and size', async t => {
  const database = await openTestDatabase(t)
  const read = async (query: ReturnType<typeof sql<Record<string, unknown>>>) =>
    (await database.asOwner(trx => query.execute(trx))).rows

  t.same(
    await read(sql`select null::text as nothing, '' as empty, 'ação ✉ 日本 😀' as text, 12345678901234567890.5 as numeric,
      array['a', null, 'b,c'] as list, '{"a": [1, "é"]}'::jsonb as json, '\\x00ff10'::bytea as bytes, true as yes,
      date '2025-02-22' as day, 9007199254740991 as big`),
    [
      {
        nothing: null,
        empty: '',
        text: 'ação ✉ 日本 😀',
        numeric: '12345678901234567890.5',
        list: ['a', null, 'b,c'],
        json: { a: [1, 'é'] },
        bytes: Buffer.from([0, 255, 16]),
        yes: true,
        day: '2025-02-22',
        big: Number.MAX_SAFE_INTEGER,
      },
    ],
  )
  t.same(await read(sql`select 1 as one where false`), [])
  const [large] = await read(sql`select repeat('é', 3000000) as text`)
  t.ok(large?.text === 'é'.repeat(3_000_000))
  const many = await read(
    sql`select n, repeat(chr(97 + n % 26), n) as text from generate_series(0, 1999) as n`,
  )
  t.equal(many.length, 2_000)
  t.ok(many.every(({ n, text }) => text === String.fromCharCode(97 + (Number(n) % 26)).repeat(Number(n))))
})

test('after what failed, the next answer is of the next statement', async t => {
  const database = await openTestDatabase(t)
  for (const [query, code] of [
    [sql`select ${'x'}::int`, '22P02'],
    [sql`select from where`, '42601'],
    [sql`select 1 / (n - 3) from generate_series(1, 5) as n`, '22012'],
    [sql`do $$ begin raise notice 'said'; raise exception 'é'; end $$`, 'P0001'],
  ] as const) {
    await t.rejects(
      database.asOwner(trx => query.execute(trx)),
      { code },
    )
    const { rows } = await database.asOwner(trx => sql`select ${code} as code`.execute(trx))
    t.same(rows, [{ code }])
  }
})

test('a value that cannot be sent fails its own statement and no later one', async t => {
  const { pool } = await openTestDatabase(t)
  const unsendable = {
    toPostgres() {
      throw new Error('not to be sent')
    },
  }
  t.same((await pool.query('select $1::text as a', ['before'])).rows, [{ a: 'before' }])
  await t.rejects(pool.query('select $1::text as b', [unsendable]), { message: 'not to be sent' })
  for (const name of ['c', 'd', 'e']) {
    t.same((await pool.query(`select $1::text as ${name}`, [name])).rows, [{ [name]: name }])
  }
  t.same((await pool.query('select $1::text as a', ['after'])).rows, [{ a: 'after' }])
})
