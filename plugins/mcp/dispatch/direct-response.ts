import { type Chunk, DirectBody } from './direct-body.ts'
import { DirectHead } from './direct-head.ts'
import type { DirectRequest } from './direct-request.ts'
import type { OnAnswer } from './sender.ts'

type Callback = (error?: Error | null) => void

/**
 * What a dispatched route sees as `reply.raw`: the members of Node's `ServerResponse` over a body that is only
 * collected. It is a writable stream of the old kind, as Node's own is, so that streams can be piped into it.
 */
export class DirectResponse extends DirectHead {
  readonly #onAnswer: OnAnswer
  readonly #body = new DirectBody()
  #isSettled = false
  #timer: NodeJS.Timeout | undefined

  readonly req: DirectRequest
  /** `end` was called. */
  writableEnded = false
  writableFinished = false
  destroyed = false
  errored: Error | null = null
  closed = false
  readonly writable = true
  readonly writableObjectMode = false
  readonly writableNeedDrain = false
  readonly writableLength = 0
  readonly writableHighWaterMark = 16_384
  readonly writableCorked = 0

  constructor(req: DirectRequest, onAnswer: OnAnswer) {
    super()
    this.req = req
    this.#onAnswer = onAnswer
    req.onDestroyed(error => this.destroy(error))
  }

  get socket() {
    return this.req.socket
  }

  get connection() {
    return this.req.socket
  }

  get finished(): boolean {
    return this.writableEnded
  }

  write(chunk: Chunk, encoding?: BufferEncoding | Callback | null, callback?: Callback | null): boolean {
    const onWritten = typeof encoding === 'function' ? encoding : callback
    if (this.writableEnded || this.destroyed) {
      this.#refuseChunk(onWritten)
      return false
    }
    this.flushHeaders()
    this.#keep(chunk, typeof encoding === 'function' ? null : encoding)
    if (onWritten) process.nextTick(onWritten)
    return true
  }

  end(
    chunk?: Chunk | Callback | null,
    encoding?: BufferEncoding | Callback | null,
    callback?: Callback | null,
  ): this {
    const onEnded = [chunk, encoding, callback].find(argument => typeof argument === 'function')
    if (this.writableEnded) {
      if (onEnded) process.nextTick(onEnded, toError('ERR_STREAM_ALREADY_FINISHED', 'the response has ended'))
      return this
    }
    this.flushHeaders()
    if (chunk && typeof chunk !== 'function')
      this.#keep(chunk, typeof encoding === 'function' ? null : encoding)
    this.writableEnded = true
    this.writableFinished = true
    if (onEnded) this.once('finish', onEnded)
    clearTimeout(this.#timer)
    // First: a listener that throws takes no answer away.
    this.#settle(null)
    this.emit('finish')
    this.destroy()
    return this
  }

  destroy(error: Error | null = null): this {
    if (this.destroyed) return this
    this.destroyed = true
    this.errored = error
    clearTimeout(this.#timer)
    process.nextTick(() => this.#close(error))
    return this
  }

  setTimeout(milliseconds: number, onTimeout?: () => void): this {
    clearTimeout(this.#timer)
    if (onTimeout) this.on('timeout', onTimeout)
    if (milliseconds > 0) this.#timer = setTimeout(() => this.emit('timeout'), milliseconds)
    return this
  }

  /** Nobody waits on a wire for what comes before the answer, and trailers are refused by who reads the headers. */
  addTrailers(): void {}
  writeContinue(): void {}
  writeProcessing(): void {}
  writeEarlyHints(_hints: object, callback?: () => void): void {
    if (callback) process.nextTick(callback)
  }
  assignSocket(): void {}
  detachSocket(): void {}
  cork(): void {}
  uncork(): void {}

  #keep(chunk: Chunk, encoding: BufferEncoding | null | undefined): void {
    if (!(typeof chunk === 'string' || (chunk as unknown) instanceof Uint8Array)) throw toInvalidChunk(chunk)
    // As a server to a client: these have no body, whatever is written (RFC 9110, 9.3.2 and 6.4.1).
    const { statusCode } = this
    if (this.req.method === 'HEAD' || statusCode < 200 || statusCode === 204 || statusCode === 304) return
    this.#body.add(chunk, encoding)
  }

  #refuseChunk(callback: Callback | null | undefined): void {
    const error = this.writableEnded
      ? toError('ERR_STREAM_WRITE_AFTER_END', 'a write after the end')
      : toError('ERR_STREAM_DESTROYED', 'the response was destroyed')
    if (callback) process.nextTick(callback, error)
    if (this.writableEnded) this.destroy(error)
  }

  #close(error: Error | null): void {
    if (!this.#isSettled)
      this.#settle(error ?? toError('ECONNRESET', 'the response was destroyed before it ended'))
    // As for a request: an error that nobody listens for must not end the process.
    if (error && this.listenerCount('error') > 0) this.emit('error', error)
    this.closed = true
    this.emit('close')
  }

  #settle(error: Error | null): void {
    if (this.#isSettled) return
    this.#isSettled = true
    const { statusCode: status } = this
    if (error) this.#onAnswer(error, null)
    else this.#onAnswer(null, { status, headers: this.sentHeaders(), body: this.#body.toText() })
  }
}

function toError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}

function toInvalidChunk(chunk: unknown): Error {
  const error = new TypeError(
    `a chunk must be a string or bytes, not ${chunk === null ? 'null' : typeof chunk}`,
  )
  return Object.assign(error, { code: 'ERR_INVALID_ARG_TYPE' })
}
