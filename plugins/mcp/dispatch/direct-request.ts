import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { ClientSocket } from './client-socket.ts'
import type { Dispatch } from './identity.ts'
import type { Outgoing } from './sender.ts'

/**
 * What a dispatched route sees as `request.raw`: the members of Node's `IncomingMessage` over a request that never
 * was on a wire. What is not asked for each time, such as the raw headers, is made when it is asked for.
 */
export class DirectRequest extends Readable {
  readonly #dispatch: Dispatch
  readonly #payload: string | null
  readonly #address: string
  #socket: ClientSocket | null = null
  #onDestroyed: ((error: Error | null) => void) | null = null

  readonly method: string
  /** Not readonly: Fastify's `rewriteUrl` changes it. */
  url: string
  readonly headers: IncomingHttpHeaders
  /** True once the client has left, as in Node, which is where Fastify looks. */
  aborted = false
  readonly httpVersion = '1.1'
  readonly httpVersionMajor = 1
  readonly httpVersionMinor = 1
  readonly complete = true

  constructor(dispatch: Dispatch, { method, url, headers, payload, address }: Outgoing) {
    // As Node's own requests: read to the end, it is not over yet.
    super({ autoDestroy: false })
    this.#dispatch = dispatch
    this.#payload = payload
    this.#address = address
    this.method = method
    this.url = url
    this.headers = { ...headers }
    this.headers.host ??= 'localhost:80'
    if (payload !== null) this.headers['content-length'] = String(Buffer.byteLength(payload))
  }

  /**
   * The dispatch that made this request; null for every other. A private member is what proves it: no client can
   * send one, and no code of the application can make one.
   */
  static dispatchOf(raw: object): Dispatch | null {
    return #dispatch in raw ? raw.#dispatch : null
  }

  /** Whatever ends the request early, the client that leaves or the route itself, ends the response as well. */
  onDestroyed(listener: (error: Error | null) => void): void {
    this.#onDestroyed = listener
  }

  get socket(): ClientSocket {
    this.#socket ??= new ClientSocket(this.#address, this.#dispatch.isEncrypted)
    return this.#socket
  }

  get connection(): ClientSocket {
    return this.socket
  }

  get rawHeaders(): readonly string[] {
    return Object.entries(this.headers).flatMap(([name, value]) => [name, String(value)])
  }

  get headersDistinct(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries(Object.entries(this.headers).map(([name, value]) => [name, [String(value)]]))
  }

  get trailers(): Readonly<Record<string, string>> {
    return {}
  }

  get trailersDistinct(): Readonly<Record<string, readonly string[]>> {
    return {}
  }

  get rawTrailers(): readonly string[] {
    return []
  }

  setTimeout(milliseconds: number, onTimeout?: () => void): this {
    this.socket.setTimeout(milliseconds, onTimeout)
    return this
  }

  override _read(): void {
    if (this.#payload !== null) this.push(this.#payload)
    this.push(null)
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.aborted = true
    this.emit('aborted')
    this.#socket?.destroy()
    this.#onDestroyed?.(error)
    // As Node's own requests: an error that nobody listens for must not end the process.
    process.nextTick(callback, this.listenerCount('error') > 0 ? error : null)
  }
}
