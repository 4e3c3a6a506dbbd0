import type { FastifyInstance, LightMyRequestResponse } from 'fastify'

/** The headers of a request in lower case; undefined takes one out of the defaults. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

export interface More {
  /** Name of a toy caller; null: no Authorization header. Default ana. */
  readonly as?: string | null
  readonly id?: unknown
  readonly headers?: Headers
  readonly url?: string
  readonly address?: string
  /** Client capabilities of a 2026-07-28 request. Default `{}`. */
  readonly capabilities?: unknown
}

export const versionKey = 'io.modelcontextprotocol/protocolVersion'
export const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'
export const clientInfoKey = 'io.modelcontextprotocol/clientInfo'

/** One POST with the body as it is given: text, bytes, or a value to print. */
export function post(app: FastifyInstance, body: unknown, more: More = {}): Promise<LightMyRequestResponse> {
  const { as = 'ana', url = '/mcp', address = '127.0.0.1' } = more
  const headers = {
    'content-type': 'application/json',
    ...(as !== null && { authorization: `Bearer ${as}` }),
    ...more.headers,
  }
  const sent = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, typeof value === 'string' ? value : [...value]] as const],
  )
  return app.inject({
    method: 'POST',
    url,
    remoteAddress: address,
    headers: Object.fromEntries(sent),
    payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  })
}

/** A request of the 2025 era; the version is named by the header, or by none. */
export function legacy(app: FastifyInstance, method: string, params?: unknown, more: More = {}) {
  const { id = 1 } = more
  return post(app, { jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) }, more)
}

/** A request of 2026-07-28, with the envelope and the headers that repeat the body. */
export function modern(
  app: FastifyInstance,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  more: More = {},
) {
  const { id = 1, capabilities = {} } = more
  const envelope = { [versionKey]: '2026-07-28', [capabilitiesKey]: capabilities }
  const body = { jsonrpc: '2.0', id, method, params: { ...params, _meta: envelope } }
  return post(app, body, { ...more, headers: { ...toModernHeaders(method, params), ...more.headers } })
}

/** The headers that repeat a 2026-07-28 body. */
export function toModernHeaders(method: string, params: Readonly<Record<string, unknown>> = {}): Headers {
  const name = method === 'tools/call' && typeof params.name === 'string' ? params.name : undefined
  return { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': name }
}

/** Calls a tool in 2026-07-28. */
export function call(app: FastifyInstance, name: string, args?: unknown, more: More = {}) {
  return modern(app, 'tools/call', { name, ...(args !== undefined && { arguments: args }) }, more)
}

/** The text of a tool's result. */
export function textOf(answer: LightMyRequestResponse): string {
  return answer.json().result.content[0].text
}

/** The text of a tool's result, read as JSON. */
export function readText(answer: LightMyRequestResponse) {
  return JSON.parse(textOf(answer))
}
