import type { PoolClient } from 'pg'
import type { Database } from '../../../lib/database/database.ts'

/** What the database is told, in transactions, while some work is done. */
export async function countStatements<T>(
  { pool }: Database,
  work: () => Promise<T>,
): Promise<{ statements: string[]; result: T }> {
  const statements: string[] = []
  const watched = new Map<PoolClient, unknown>()
  const connect = pool.connect.bind(pool)
  const watch = (client: PoolClient) => {
    if (watched.has(client)) return client
    const query = client.query.bind(client)
    watched.set(client, query)
    return Object.assign(client, {
      query(...parameters: unknown[]): unknown {
        const [sql] = parameters
        statements.push(typeof sql === 'string' ? sql : String(Object(sql).text))
        return Reflect.apply(query, client, parameters)
      },
    })
  }
  Object.assign(pool, { connect: async () => watch(await connect()) })
  try {
    return { statements, result: await work() }
  } finally {
    Object.assign(pool, { connect })
    for (const [client, query] of watched) Object.assign(client, { query })
  }
}
