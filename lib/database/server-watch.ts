import { Client, DatabaseError } from 'pg'
import type { ConnectionPool } from './connection-pool.ts'

/** Milliseconds that a connection may be lent before it is worth asking whether the server is there at all. */
const suspicion = 3_000
/** Milliseconds in which a server that is there answers somebody new. */
const deadline = 4_000
const interval = 1_000

export interface ServerWatch {
  stop(): void
}

/**
 * Tells a statement that takes its time from a server that is gone without a word (a failed machine, a network that
 * drops everything), where the statement's own deadline is far too long to be waited for. Whenever a connection is
 * lent for long, the server is asked to let somebody new in; where it does not even refuse, what waits for it is
 * given up, so that requests are answered within seconds. A server that works is never interrupted.
 */
export function watchServer(pool: ConnectionPool, databaseUrl: string): ServerWatch {
  let isAsking = false
  const look = async () => {
    if (isAsking || pool.lentSince(suspicion) === 0) return
    isAsking = true
    try {
      if (!(await answers(databaseUrl))) pool.abandon(suspicion)
    } finally {
      isAsking = false
    }
  }
  const timer = setInterval(() => void look(), interval)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}

/** An error that the server itself sent, such as too many connections, is an answer. */
async function answers(databaseUrl: string): Promise<boolean> {
  const client = new Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: deadline,
    application_name: 'kobana-inbox-watch',
  })
  client.on('error', () => {})
  try {
    await client.connect()
    client.end().catch(() => {})
    return true
  } catch (error) {
    return error instanceof DatabaseError
  }
}
