import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { type Test, test } from 'tap'
import type { Database } from '../../../lib/database/database.ts'
import { openDatabase } from '../../../lib/database/open-database.ts'
import { openPostgres } from '../../../lib/database/postgres-engine.ts'
import { createDatabase } from '../../../lib/database/transactions.ts'
import { createTestLocation, openTestDatabase } from '../../app/support/open-test-database.ts'

const postgresOnly = process.env.DATABASE_URL ? false : 'needs DATABASE_URL'

test('a server that is not there is an error at once', async t => {
  const { server, url } = await listen(t)
  await new Promise(resolve => server.close(resolve))
  const started = Date.now()
  await t.rejects(openDatabase({ databaseUrl: url, dataDir: '' }), { code: 'ECONNREFUSED' })
  t.ok(Date.now() - started < 4_000)
})

test('a server that accepts and says nothing is an error within seconds', async t => {
  const { url } = await listen(t)
  const errors: Error[] = []
  const database = open(t, url, errors)
  const started = Date.now()
  const ready = database.isReady()
  await t.rejects(
    database.asOwner(async () => 1),
    /timeout/,
  )
  t.ok(Date.now() - started < 9_000)
  t.equal(await ready, false)
})

test('whether it is ready is answered within two seconds', async t => {
  const { url } = await listen(t)
  const database = open(t, url, [])
  const started = Date.now()
  t.equal(await database.isReady(), false)
  t.ok(Date.now() - started < 4_000)
})

test('a server that ends idle connections is reported, survived and used again', {
  skip: postgresOnly,
}, async t => {
  const location = await createTestLocation(t)
  const errors: Error[] = []
  const database = await openDatabase(location, { poolSize: 1, onError: error => errors.push(error) })
  t.teardown(() => database.close())
  await database.pool.query('select 1')
  const killer = await openDatabase(location, { poolSize: 1 })
  t.teardown(() => killer.close())
  await killer.pool.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  for (let wait = 0; errors.length === 0 && wait < 100; wait++)
    await new Promise(resolve => setTimeout(resolve, 50))
  t.match(errors[0], { code: '57P01' })
  t.equal(await database.isReady(), true)
})

test('every session has deadlines and runs in UTC', { skip: postgresOnly }, async t => {
  const database = await openTestDatabase(t)
  const settings = ['lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout', 'timezone']
  const values = await Promise.all(
    settings.map(name => database.pool.query(`select current_setting($1) as value`, [name])),
  )
  t.strictSame(
    values.map(({ rows }) => rows[0].value),
    ['10s', '30s', '1min', 'UTC'],
  )
})

test('a transaction that is lost on the way is an error and gives its place back', {
  skip: postgresOnly,
}, async t => {
  const location = await createTestLocation(t)
  const database = await openDatabase(location, { poolSize: 1 })
  t.teardown(() => database.close())
  const open = await database.begin({ kind: 'owner' })
  const killer = await openDatabase(location, { poolSize: 1 })
  t.teardown(() => killer.close())
  await killer.pool.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  await t.rejects(open.commit())
  t.equal(await database.isReady(), true)
})

function open(t: Test, databaseUrl: string, errors: Error[]): Database {
  const database = createDatabase(openPostgres({ databaseUrl, onError: error => errors.push(error) }))
  t.teardown(() => database.close())
  return database
}

/** A server that accepts connections and never answers. */
async function listen(t: Test): Promise<{ server: Server; url: string }> {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket.on('error', () => {}))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { server, url: `postgres://nobody@127.0.0.1:${port}/nothing` }
}
