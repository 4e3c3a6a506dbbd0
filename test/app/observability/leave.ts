import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** A request as it is written on a connection. */
export interface WrittenRequest {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Leaving {
  /** Milliseconds after the last byte; default 0, which is before the server has had a chance to read. */
  readonly after?: number
  /** How much of the request is sent; default all of it. */
  readonly share?: number
}

/** Where the application listens; it begins to, if it does not. */
export async function toPort(app: FastifyInstance): Promise<number> {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  const address = app.server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the application has no port')
  return address.port
}

/** Sends requests over one connection, which is reset without waiting for an answer. */
export async function leave(
  app: FastifyInstance,
  requests: readonly WrittenRequest[],
  { after = 0, share = 1 }: Leaving = {},
): Promise<void> {
  const socket = connect(await toPort(app), '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  const text = requests.map(toText).join('')
  socket.write(text.slice(0, Math.ceil(text.length * share)))
  if (after > 0) await wait(after)
  socket.resetAndDestroy()
  await once(socket, 'close')
}

/** Sends text over a connection of its own, and gives all that comes back before it ends. */
export async function talk(app: FastifyInstance, text: string): Promise<string> {
  const socket = connect(await toPort(app), '127.0.0.1', () => socket.write(text))
  socket.setEncoding('utf8')
  let answer = ''
  for await (const chunk of socket) answer += chunk
  return answer
}

export function toText({ method, path, headers = {}, body = '' }: WrittenRequest): string {
  const all = { host: 'inbox.test', 'content-length': String(Buffer.byteLength(body)), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}
