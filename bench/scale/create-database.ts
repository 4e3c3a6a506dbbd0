import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import type { Database } from '../../lib/database/database.ts'
import { openDatabase } from '../../lib/database/open-database.ts'
import { seedTenants } from '../../lib/demo/seed-tenants.ts'

/** A database of the run's own, with the demo's people, on the server that the URL names. */
export interface OwnDatabase {
  readonly url: string
  /** Straight to the server, whatever stands between it and the replicas. */
  readonly database: Database
  drop(): Promise<void>
}

export async function createDatabase(serverUrl: string): Promise<OwnDatabase> {
  const name = `kobana_scale_${randomBytes(6).toString('hex')}`
  await withServer(serverUrl, client => client.query(`create database ${name}`))
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const remove = () =>
    withServer(serverUrl, client => client.query(`drop database if exists ${name} with (force)`))
  try {
    const database = await openDatabase(
      { databaseUrl: url.href, dataDir: '' },
      { migrate: true, poolSize: 2 },
    )
    await seedTenants(database)
    return {
      url: url.href,
      database,
      async drop() {
        await database.close()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}

async function withServer(url: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
