import { PassThrough } from 'node:stream'
import type { PGlite } from '@electric-sql/pglite'
import { parse } from 'pg-protocol'

/** Parse, Bind, Describe, Execute and Close: a backend may leave them until Sync or Flush comes. */
const waiting = new Set([...'PBDEC'].map(letter => letter.charCodeAt(0)))

type Exchange = PGlite['execProtocolStream']
type Answers = Awaited<ReturnType<Exchange>>

/**
 * PGlite for node-postgres' connection, with an exchange of messages as with a server. The connection gives one by one
 * what a socket would carry in one packet: the messages of a statement come to the engine together, since each is a call
 * into it, with preparations of its own. Its answers are read by node-postgres' own reader, since PGlite's copies each
 * value before it decodes it.
 *
 * @see https://www.postgresql.org/docs/17/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY
 */
export function withProtocolExchange(pglite: PGlite): PGlite {
  let messages: Uint8Array[] = []
  let read = createReader()
  const exchange: Exchange = async (message, options) => {
    messages.push(message)
    if (waiting.has(message[0] ?? 0)) return []
    const whole = messages.length === 1 ? message : Buffer.concat(messages)
    messages = []
    const answers: Answers = []
    try {
      await pglite.execProtocolRawStream(whole, { ...options, onRawData: bytes => read(bytes, answers) })
    } catch (error) {
      // What came of an answer that breaks off is not the beginning of the next one.
      read = createReader()
      throw error
    }
    return answers
  }
  return new Proxy(pglite, {
    get: (target, name) => (name === 'execProtocolStream' ? exchange : Reflect.get(target, name, target)),
  })
}

/** Appends the messages in some bytes of the protocol, wherever they were cut. */
function createReader(): (bytes: Uint8Array, answers: Answers) => void {
  let into: Answers = []
  const source = new PassThrough()
  void parse(source, message => into.push(message))
  return (bytes, answers) => {
    into = answers
    // A copy, since these are the engine's own memory, and a message may go on in the next ones.
    source.emit('data', Buffer.from(bytes))
  }
}
