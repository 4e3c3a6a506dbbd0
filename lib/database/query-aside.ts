import { Client, type ClientConfig, type QueryConfig, type QueryResultRow } from 'pg'

/** Milliseconds for the connection, and as many for the answer. */
const patience = 1_000

/** One statement on a connection of its own, for what is to be told while the pool is exhausted. */
export async function queryAside<Row extends QueryResultRow>(
  config: ClientConfig,
  query: QueryConfig,
): Promise<readonly Row[]> {
  const client = new Client({
    ...config,
    connectionTimeoutMillis: patience,
    statement_timeout: patience,
    query_timeout: patience,
  })
  // What breaks is told by what is rejected.
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<Row>(query)
    return rows
  } finally {
    client.end().catch(() => {})
  }
}
