import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { Client } from 'pg'
import { type Test, test } from 'tap'
import { migrateToLatest, pendingMigrations } from '../../../lib/database/migrate.ts'
import { migrations } from '../../../lib/database/migrations/index.ts'
import { openDatabase } from '../../../lib/database/open-database.ts'
import { openTestDatabase } from '../../app/support/open-test-database.ts'
import { projectFile } from '../../project.ts'

const serverUrl = process.env.DATABASE_URL
const postgresOnly = serverUrl ? false : 'needs DATABASE_URL'

test('the map has every migration file, in the order of their numbers', async t => {
  const files = readdirSync(projectFile('lib/database/migrations/'))
  const numbered = files.filter(file => /^\d{4}-/.test(file)).map(file => file.replace(/\.ts$/, ''))
  t.strictSame(Object.keys(migrations), numbered.sort())
})

test('an open database has nothing pending, and migrating again does nothing', async t => {
  const database = await openTestDatabase(t)
  t.strictSame(await pendingMigrations(database.pool), [])
  t.strictSame(await migrateToLatest(database.pool), [])
})

test('a database of a later version is refused, naming what is not known here', async t => {
  const { pool } = await openTestDatabase(t)
  await pool.query(`insert into kysely_migration (name, timestamp) values ('9999-later', '2026-01-01')`)
  await t.rejects(migrateToLatest(pool), /9999-later/)
})

test('a PostgreSQL database with pending migrations is refused, naming them', {
  skip: postgresOnly,
}, async t => {
  const [databaseUrl = ''] = await createEmptyDatabases(t, 1)
  await t.rejects(
    openDatabase({ databaseUrl, dataDir: '' }),
    new RegExp(`lacks ${Object.keys(migrations).length} migrations \\(0001-organizations, .*\\)`),
  )
})

test('processes that migrate one database at the same moment all succeed', {
  skip: postgresOnly,
}, async t => {
  const [databaseUrl = ''] = await createEmptyDatabases(t, 1)
  await openAtOnce(
    t,
    Array.from({ length: 5 }, () => databaseUrl),
  )
})

test('many new databases of one server can be migrated at the same moment', {
  skip: postgresOnly,
}, async t => {
  await openAtOnce(t, await createEmptyDatabases(t, 4))
})

test('an owner that is no superuser may migrate and is bound to a tenant all the same', {
  skip: postgresOnly,
}, async t => {
  const [databaseUrl = ''] = await createEmptyDatabases(t, 1)
  const owner = `kobana_test_owner_${randomBytes(6).toString('hex')}`
  const name = new URL(databaseUrl).pathname.slice(1)
  await onServer(`create role ${owner} login createrole`)
  t.teardown(() =>
    onServer(`reassign owned by ${owner} to current_user; drop owned by ${owner}`, databaseUrl).then(() =>
      onServer(`drop role ${owner}`),
    ),
  )
  await onServer(`alter database ${name} owner to ${owner}`)
  await onServer(`alter schema public owner to ${owner}`, databaseUrl)
  await onServer(`grant kobana_app to ${owner}`)
  const url = new URL(databaseUrl)
  url.username = owner
  const database = await openDatabase({ databaseUrl: url.href, dataDir: '' }, { migrate: true, poolSize: 1 })
  t.teardown(() => database.close())
  await database.asOwner(trx =>
    trx.insertInto('organizations').values({ id: 'org_1', name: 'One' }).execute(),
  )
  const other = await database.inOrganization('org_2', trx =>
    trx.selectFrom('organizations').selectAll().execute(),
  )
  t.strictSame(other, [])
})

async function openAtOnce(t: Test, urls: string[]): Promise<void> {
  const opened = await Promise.all(
    urls.map(databaseUrl => openDatabase({ databaseUrl, dataDir: '' }, { migrate: true, poolSize: 1 })),
  )
  t.teardown(() => Promise.all(opened.map(database => database.close())))
  for (const database of opened) t.strictSame(await pendingMigrations(database.pool), [])
}

async function createEmptyDatabases(t: Test, count: number): Promise<string[]> {
  const urls: string[] = []
  for (let index = 0; index < count; index++) {
    const name = `kobana_test_${randomBytes(8).toString('hex')}`
    await onServer(`create database ${name}`)
    t.teardown(() => onServer(`drop database if exists ${name} with (force)`))
    const url = new URL(serverUrl ?? '')
    url.pathname = `/${name}`
    urls.push(url.href)
  }
  return urls
}

async function onServer(statement: string, url = serverUrl): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
