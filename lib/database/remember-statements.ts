import type { Pool } from 'pg'

/** So many statements are kept prepared; what comes after these is planned each time. */
const most = 500

interface Named {
  readonly text: string
  readonly values: unknown[]
  readonly name: string
}

/**
 * Has a pool's connections prepare each statement with parameters once and run it by name from then on: on the
 * embedded engine, whose one connection never goes, parsing and planning are a third of the work of a statement.
 * A server may stand behind a pooler that knows no names, and plans in another process anyway.
 */
export function rememberStatements(pool: Pool): void {
  // Of the connection, which outlives node-postgres' client: a name that was given is given to no other statement.
  const names = new Map<string, string>()
  pool.on('connect', client => {
    const query = client.query.bind(client)
    const toNamed = (text: string, values: unknown[]): Named | null => {
      const name = names.get(text) ?? `s${names.size + 1}`
      if (!names.has(text) && names.size >= most) return null
      names.set(text, name)
      return { text, values, name }
    }
    const remembering: typeof client.query = (...parameters: unknown[]) => {
      const [text, values, ...rest] = parameters
      const named =
        typeof text === 'string' && Array.isArray(values) && values.length > 0 ? toNamed(text, values) : null
      return named ? Reflect.apply(query, client, [named, ...rest]) : Reflect.apply(query, client, parameters)
    }
    client.query = remembering
  })
}
