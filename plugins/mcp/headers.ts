import { isObject } from './message.ts'

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

/** One parameter that a tool mirrors into `Mcp-Param-<name>`: where its value stands in the arguments. */
export interface MirroredParameter {
  /** The header's name in lower case, `mcp-param-…`. */
  readonly header: string
  /** The chain of property names that leads to the value. */
  readonly path: readonly string[]
  readonly integer: boolean
}

export interface HeaderCheck {
  readonly headers: RequestHeaders
  readonly version: string
  readonly method: string
  readonly params: unknown
  readonly mirrored: readonly MirroredParameter[]
  /** Require `Mcp-Name` on resources/read and prompts/get as well. */
  readonly strict: boolean
}

/** What `Mcp-Name` repeats, by method, and whether it must be there. */
const named: ReadonlyMap<string, { readonly member: 'name' | 'uri'; readonly required: boolean }> = new Map([
  ['tools/call', { member: 'name', required: true }],
  ['prompts/get', { member: 'name', required: false }],
  ['resources/read', { member: 'uri', required: false }],
])

/**
 * Compares the headers of a 2026-07-28 request with its body, so that an intermediary that routes on the headers
 * and this server that acts on the body can never disagree. Returns the message of a -32020 error, or null.
 * MCP 2026-07-28, basic/transports/streamable-http, Request Metadata and Server Validation.
 */
export function findHeaderMismatch(check: HeaderCheck): string | null {
  return (
    comparePlain('MCP-Protocol-Version', check.headers['mcp-protocol-version'], check.version) ??
    comparePlain('Mcp-Method', check.headers['mcp-method'], check.method) ??
    compareName(check) ??
    (check.mirrored.length > 0 ? compareMirrored(check) : null)
  )
}

/** The `MCP-Protocol-Version` header as it was sent; undefined when it was not. */
export function toVersionHeader(headers: RequestHeaders): string | undefined {
  const header = headers['mcp-protocol-version']
  return Array.isArray(header) ? header.join(', ') : header
}

function comparePlain(name: string, header: string | string[] | undefined, body: string): string | null {
  return isSame(header, body) ? null : compare(name, plain(header), body)
}

// Nearly every request: the very same text, which needs no decoding and trimming.
function isSame(header: string | string[] | undefined, body: unknown): boolean {
  if (header !== body || typeof header !== 'string' || header.startsWith('=?')) return false
  return isVisibleAscii(header) && trimBlanks(header) === header
}

function compareName({ headers, method, params, strict }: HeaderCheck): string | null {
  const rule = named.get(method)
  if (!rule) return null
  const body = isObject(params) ? params[rule.member] : undefined
  if (isSame(headers['mcp-name'], body)) return null
  const header = decoded(headers['mcp-name'])
  if (header.kind === 'absent' && (typeof body !== 'string' || !(rule.required || strict))) return null
  return compare('Mcp-Name', header, typeof body === 'string' ? body : undefined)
}

function compareMirrored({ headers, params, mirrored }: HeaderCheck): string | null {
  for (const { header, path, integer } of mirrored) {
    const body = valueAt(isObject(params) ? params.arguments : undefined, path)
    const text = toHeaderText(body)
    const sent = decoded(headers[header])
    if (text === undefined && sent.kind === 'absent') continue
    if (integer && sent.kind === 'value' && isSameNumber(sent.value, body)) continue
    const mismatch = compare(titleOf(header), sent, text)
    if (mismatch) return mismatch
  }
  return null
}

// What has no such text has no header: null and absent arguments, and whatever the route's own validation refuses. A
// header without its argument is a mismatch, since an intermediary would route on nothing.
function toHeaderText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) return undefined
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

type Sent =
  | { readonly kind: 'absent' }
  | { readonly kind: 'malformed'; readonly raw: string }
  | { readonly kind: 'value'; readonly value: string }

function compare(name: string, sent: Sent, body: string | undefined): string | null {
  const wanted = body === undefined ? 'the body has no such value' : `body value '${shorten(body)}'`
  if (sent.kind === 'absent') return `Header mismatch: ${name} header is missing, ${wanted}`
  if (sent.kind === 'malformed')
    return `Header mismatch: ${name} header value '${shorten(sent.raw)}' is malformed, ${wanted}`
  if (sent.value === body) return null
  return body === undefined
    ? `Header mismatch: ${name} header value '${shorten(sent.value)}', but ${wanted}`
    : `Header mismatch: ${name} header value '${shorten(sent.value)}' does not match ${wanted}`
}

function plain(header: string | string[] | undefined): Sent {
  if (header === undefined) return { kind: 'absent' }
  const raw = trimBlanks(typeof header === 'string' ? header : header.join(', '))
  return isVisibleAscii(raw) ? { kind: 'value', value: raw } : { kind: 'malformed', raw }
}

// Value Encoding: `=?base64?…?=` holds UTF-8; a plain value that looks like it is encoded as well.
function decoded(header: string | string[] | undefined): Sent {
  const sent = plain(header)
  if (sent.kind !== 'value' || !sent.value.startsWith('=?base64?') || !sent.value.endsWith('?=')) return sent
  const base64 = sent.value.slice('=?base64?'.length, -2)
  const bytes = Buffer.from(base64, 'base64')
  // Buffer skips what is no base64; only a value that prints back the same was well formed.
  if (bytes.toString('base64') !== base64) return { kind: 'malformed', raw: sent.value }
  const value = bytes.toString('utf8')
  return Buffer.from(value, 'utf8').equals(bytes)
    ? { kind: 'value', value }
    : { kind: 'malformed', raw: sent.value }
}

function trimBlanks(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

function isVisibleAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if ((code < 0x20 && code !== 0x09) || code > 0x7e) return false
  }
  return true
}

// The forms that every reader takes for the same integer; `0x2a` and `1e3` are not among them.
const decimal = /^-?\d{1,20}(\.0{1,20})?$/

function isSameNumber(header: string, body: unknown): boolean {
  return typeof body === 'number' && decimal.test(header) && Number(header) === body
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

// The message echoes what the client itself sent; bounded, since a body may hold a megabyte.
function shorten(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`
}

function titleOf(header: string): string {
  return `Mcp-Param-${header.slice('mcp-param-'.length)}`
}
