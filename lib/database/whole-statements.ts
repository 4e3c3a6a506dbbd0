import type { PGlite } from '@electric-sql/pglite'

/** Parse, Bind, Describe, Execute and Close: a backend may leave them until Sync or Flush comes. */
const waiting = new Set([...'PBDEC'].map(letter => letter.charCodeAt(0)))

/**
 * PGlite for node-postgres' connection, which gives it one by one the messages that a socket would carry in one packet:
 * those of a statement come to it together, since each is a call into the engine, with preparations of its own.
 *
 * @see https://www.postgresql.org/docs/17/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY
 */
export function toWholeStatements(pglite: PGlite): PGlite {
  let messages: Uint8Array[] = []
  const exchange: PGlite['execProtocolStream'] = async (message, options) => {
    messages.push(message)
    if (waiting.has(message[0] ?? 0)) return []
    const whole = messages.length === 1 ? message : Buffer.concat(messages)
    messages = []
    return pglite.execProtocolStream(whole, options)
  }
  return new Proxy(pglite, {
    get: (target, name) => (name === 'execProtocolStream' ? exchange : Reflect.get(target, name, target)),
  })
}
