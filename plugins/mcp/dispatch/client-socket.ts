import { EventEmitter } from 'node:events'

/**
 * A socket of no connection, for what reads addresses, listens and sets timeouts. Not one of Node's own, which are
 * streams: Fastify asks for the socket of every request when it has been answered.
 */
export class ClientSocket extends EventEmitter {
  #timer: NodeJS.Timeout | undefined

  readonly remoteAddress: string
  /** As a TLS socket has it, and no other; what `request.protocol` goes by. */
  declare readonly encrypted?: true
  destroyed = false

  constructor(address: string, isEncrypted = false) {
    super()
    this.remoteAddress = address
    if (isEncrypted) this.encrypted = true
  }

  get remoteFamily(): 'IPv4' | 'IPv6' {
    return this.remoteAddress.includes(':') ? 'IPv6' : 'IPv4'
  }

  setTimeout(milliseconds: number, onTimeout?: () => void): this {
    clearTimeout(this.#timer)
    if (milliseconds > 0) {
      this.#timer = setTimeout(() => this.emit('timeout'), milliseconds).unref()
      if (onTimeout) this.once('timeout', onTimeout)
    } else if (onTimeout) this.off('timeout', onTimeout)
    return this
  }

  destroy(error?: Error): this {
    if (this.destroyed) return this
    this.destroyed = true
    clearTimeout(this.#timer)
    process.nextTick(() => {
      // As for a request: an error that nobody listens for must not end the process.
      if (error && this.listenerCount('error') > 0) this.emit('error', error)
      this.emit('close', error !== undefined)
    })
    return this
  }

  /** There is no connection to set them on. */
  setKeepAlive(): this {
    return this
  }
  setNoDelay(): this {
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
}
