import type { OutgoingHttpHeader } from 'node:http'
import { Stream } from 'node:stream'
import { DirectHeaders, type HeaderList } from './direct-headers.ts'

/** Status and headers of a response, with the members and the refusals of Node's `ServerResponse`. */
export class DirectHead extends Stream {
  readonly #headers = new DirectHeaders()
  statusCode = 200
  statusMessage = ''
  headersSent = false
  sendDate = true
  strictContentLength = false

  setHeader(name: string, value: OutgoingHttpHeader): this {
    this.#refuseWhenSent()
    this.#headers.set(name, value)
    return this
  }

  setHeaders(headers: Headers | ReadonlyMap<string, OutgoingHttpHeader>): this {
    for (const [name, value] of headers) this.setHeader(name, value)
    return this
  }

  appendHeader(name: string, value: string | readonly string[]): this {
    this.#refuseWhenSent()
    this.#headers.append(name, value)
    return this
  }

  getHeader(name: string): OutgoingHttpHeader | undefined {
    return this.#headers.get(name)
  }

  getHeaders(): Record<string, OutgoingHttpHeader> {
    return this.#headers.copy()
  }

  /** What is sent; after that nothing changes it. */
  protected sentHeaders(): Readonly<Record<string, OutgoingHttpHeader>> {
    return this.#headers.all()
  }

  getHeaderNames(): string[] {
    return this.#headers.names()
  }

  getRawHeaderNames(): string[] {
    return this.#headers.rawNames()
  }

  hasHeader(name: string): boolean {
    return this.#headers.has(name)
  }

  removeHeader(name: string): void {
    this.#refuseWhenSent()
    this.#headers.delete(name)
  }

  writeHead(statusCode: number, reason?: string | HeaderList, headers?: HeaderList): this {
    this.#refuseWhenSent()
    if (!(statusCode >= 100 && statusCode <= 999))
      throw Object.assign(new RangeError(`${statusCode} is no status`), {
        code: 'ERR_HTTP_INVALID_STATUS_CODE',
      })
    if (typeof reason === 'string') this.statusMessage = reason
    const list = typeof reason === 'string' ? headers : (headers ?? reason)
    if (list !== undefined) this.#headers.setAll(list)
    this.statusCode = statusCode
    this.headersSent = true
    return this
  }

  /** The old name. */
  writeHeader(statusCode: number, reason?: string | HeaderList, headers?: HeaderList): this {
    return this.writeHead(statusCode, reason, headers)
  }

  flushHeaders(): void {
    if (!this.headersSent) this.writeHead(this.statusCode)
  }

  #refuseWhenSent(): void {
    if (!this.headersSent) return
    throw Object.assign(new Error('the headers were sent already'), { code: 'ERR_HTTP_HEADERS_SENT' })
  }
}
