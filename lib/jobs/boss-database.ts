import { DatabaseError, type Pool } from 'pg'
import type { Db } from 'pg-boss'

/**
 * pg-boss' statements through the one pool. On the embedded engine nothing else is safe: a query that went
 * past the pool would run inside whichever transaction is open at that moment.
 */
export function toBossDatabase(pool: Pool): Db {
  return {
    async executeSql(text, values) {
      const client = await pool.connect()
      try {
        const result = await client.query(text, values)
        client.release()
        return { rows: toRows(result) }
      } catch (error) {
        // A script of several statements may have failed inside its own transaction; a server that reported
        // the error still holds the connection, which is then as good as new.
        const isAlive = error instanceof DatabaseError && (await rollBack(client))
        client.release(!isAlive)
        throw error
      }
    },
  }
}

interface Rows {
  readonly rows: unknown[]
}

/** A script without values answers one result per statement; what it returns may be any of them. */
function toRows(result: Rows | Rows[]): unknown[] {
  return Array.isArray(result) ? result.flatMap(({ rows }) => rows) : result.rows
}

async function rollBack(client: { query(text: string): Promise<unknown> }): Promise<boolean> {
  try {
    await client.query('rollback')
    return true
  } catch {
    return false
  }
}
