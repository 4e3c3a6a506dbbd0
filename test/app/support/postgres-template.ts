import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { type DatabaseLocation, openDatabase } from '../../../lib/database/open-database.ts'
import type { Teardown } from './open-test-database.ts'
import { schemaHash } from './schema-hash.ts'

/** Any number that everybody uses: one process at a time makes the template. */
const templateLock = 4_210_771

/** A copy of the template database, which is made by the first test on the server that needs it. */
export async function createPostgresLocation(t: Teardown, url: string): Promise<DatabaseLocation> {
  const template = await withClient(url, client => ensureTemplate(client, url))
  const name = `kobana_test_${randomBytes(8).toString('hex')}`
  await withClient(url, client => client.query(`create database ${name} template ${template}`))
  t.teardown(() => withClient(url, client => client.query(`drop database if exists ${name} with (force)`)))
  return { databaseUrl: toUrl(url, name), dataDir: '' }
}

/** Built under another name, so that a template that exists is whole. */
async function ensureTemplate(client: Client, url: string): Promise<string> {
  const name = `kobana_template_${schemaHash()}`
  if (await exists(client, name)) return name
  await client.query('select pg_advisory_lock($1)', [templateLock])
  if (await exists(client, name)) return name
  const building = `${name}_building`
  await client.query(`drop database if exists ${building} with (force)`)
  await client.query(`create database ${building}`)
  const database = await openDatabase(
    { databaseUrl: toUrl(url, building), dataDir: '' },
    { migrate: true, poolSize: 1 },
  )
  await database.close()
  await client.query(`alter database ${building} rename to ${name}`)
  return name
}

async function exists(client: Client, name: string): Promise<boolean> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
  return rowCount === 1
}

/** The connection's end also gives its lock back. */
async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

function toUrl(url: string, name: string): string {
  const other = new URL(url)
  other.pathname = `/${name}`
  return other.href
}
