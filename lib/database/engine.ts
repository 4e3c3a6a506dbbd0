import type { Pool, QueryConfig, QueryResultRow } from 'pg'

/** A running engine: its one pool, and how to let go of it. */
export interface Engine {
  readonly name: 'pglite' | 'postgres'
  readonly pool: Pool
  /** One statement beside the pool. Left out where there is one connection, which everybody waits for. */
  readonly queryAside?: <Row extends QueryResultRow>(query: QueryConfig) => Promise<readonly Row[]>
  close(): Promise<void>
}
