import { type OutgoingHttpHeader, validateHeaderName, validateHeaderValue } from 'node:http'

/** Headers as `writeHead` takes them: by name, or names and values in turn. */
export type HeaderList = Readonly<Record<string, OutgoingHttpHeader | undefined>> | readonly unknown[]

/**
 * The headers of a response, by lower-case name. They are checked as Node checks them: what could not be sent to a
 * REST client fails in a tool call as well.
 */
export class DirectHeaders {
  readonly #values: Record<string, OutgoingHttpHeader> = Object.create(null)
  /** As they were spelled, where that is not in lower case. */
  #spellings: Map<string, string> | null = null

  get(name: string): OutgoingHttpHeader | undefined {
    return this.#values[name.toLowerCase()]
  }

  has(name: string): boolean {
    return name.toLowerCase() in this.#values
  }

  set(name: string, value: OutgoingHttpHeader | undefined): void {
    validateHeaderName(name)
    if (value === undefined) throw toInvalidValue(name)
    for (const item of Array.isArray(value) ? value : [value]) validateHeaderValue(name, String(item))
    const key = name.toLowerCase()
    if (key !== name) {
      this.#spellings ??= new Map()
      this.#spellings.set(key, name)
    }
    this.#values[key] = value
  }

  setAll(list: HeaderList): void {
    if (isList(list)) {
      for (let index = 0; index + 1 < list.length; index += 2)
        this.set(String(list[index]), toHeader(list[index + 1]))
      return
    }
    for (const name in list) this.set(name, list[name])
  }

  append(name: string, value: string | readonly string[]): void {
    const before = this.get(name)
    if (before === undefined) this.set(name, typeof value === 'string' ? value : [...value])
    else this.set(name, [before, value].flat().map(String))
  }

  delete(name: string): void {
    delete this.#values[name.toLowerCase()]
  }

  names(): string[] {
    return Object.keys(this.#values)
  }

  rawNames(): string[] {
    return this.names().map(name => this.#spellings?.get(name) ?? name)
  }

  /** Not a copy: for who asks last. */
  all(): Readonly<Record<string, OutgoingHttpHeader>> {
    return this.#values
  }

  copy(): Record<string, OutgoingHttpHeader> {
    return Object.assign(Object.create(null), this.#values)
  }
}

function isList(list: HeaderList): list is readonly unknown[] {
  return Array.isArray(list)
}

function toHeader(value: unknown): OutgoingHttpHeader | undefined {
  if (value === undefined || typeof value === 'number') return value
  return Array.isArray(value) ? value.map(String) : String(value)
}

function toInvalidValue(name: string): Error {
  const error = new TypeError(`Invalid value "undefined" for header "${name}"`)
  return Object.assign(error, { code: 'ERR_HTTP_INVALID_HEADER_VALUE' })
}
