import type { Pool } from 'pg'

/** A running engine: its one pool, and how to let go of it. */
export interface Engine {
  readonly name: 'pglite' | 'postgres'
  readonly pool: Pool
  close(): Promise<void>
}
