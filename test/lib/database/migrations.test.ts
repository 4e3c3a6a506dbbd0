import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, Migrator, PostgresDialect } from 'kysely'
import { Client, Pool } from 'pg'
import { type Test, test } from 'tap'
import { ensureApplicationRole } from '../../../lib/database/application-role.ts'
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

test('audit events that are there get their reference, and a request that holds a lock is let go first', {
  skip: postgresOnly,
}, async t => {
  const [databaseUrl = ''] = await createEmptyDatabases(t, 1)
  const pool = new Pool({ connectionString: databaseUrl })
  t.teardown(() => pool.end())
  await migrateTo(pool, '0012-logins')
  await pool.query(`insert into organizations (id, name) values ('org_1', 'One'), ('org_2', 'Two');
    insert into workspaces (id, organization_id, name) values ('wsp_1', 'org_1', 'W')`)
  const write = (id: string, workspace: string | null) =>
    `insert into audit_events (id, organization_id, workspace_id, via, action, outcome)
      values ('${id}', 'org_1', ${workspace ? `'${workspace}'` : 'null'}, 'rest', 'a', 'succeeded')`
  await pool.query(`${write('evt_1', null)}; ${write('evt_2', 'wsp_1')}`)
  const client = await pool.connect()
  // As a request does it: what it writes first, and its event at the end, with the migration waiting in between.
  await client.query(
    `begin; insert into workspaces (id, organization_id, name) values ('wsp_2', 'org_1', 'W')`,
  )
  const migrating = migrateToLatest(pool)
  await sleep(300)
  await client.query(write('evt_3', null))
  await sleep(1_500)
  await client.query(`${write('evt_4', 'wsp_2')}; commit`)
  client.release()
  t.strictSame(
    await migrating,
    Object.keys(migrations).filter(name => name > '0012-logins'),
  )
  await pool.query(`${write('evt_5', null)}; ${write('evt_6', 'wsp_1')}`)
  const { rows } = await pool.query('select organization_level_id as level from audit_events order by id')
  t.strictSame(
    rows.map(({ level }) => level),
    ['org_1', null, 'org_1', null, 'org_1', null],
  )
  await t.rejects(
    pool.query(`update audit_events set organization_level_id = 'org_2'`),
    /audit_events_organization_level/,
  )
  await pool.query(`delete from organizations where id = 'org_1'`)
  t.strictSame((await pool.query('select from audit_events')).rowCount, 0)
})

/** As a version that knew no more did it. */
async function migrateTo(pool: Pool, last: string): Promise<void> {
  await ensureApplicationRole(pool)
  const known = Object.fromEntries(Object.entries(migrations).filter(([name]) => name <= last))
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  const { error } = await new Migrator({
    db,
    provider: { getMigrations: async () => known },
  }).migrateToLatest()
  if (error) throw error
}

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
