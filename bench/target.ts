import type { BenchServer } from './start-server.ts'

/** One request, as it is sent again and again. */
export interface Target {
  readonly path: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export type Version = '2026-07-28' | '2025-06-18' | '2025-03-26'

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
}

export function toRest(path: string): Target {
  return { path, method: 'GET', headers: {} }
}

/** A JSON-RPC request in the form of that version. */
export function toRpc(method: string, params: Readonly<Record<string, unknown>>, version: Version): Target {
  const isModern = version === '2026-07-28'
  const name = typeof params.name === 'string' ? { 'mcp-name': params.name } : {}
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': version,
    ...(isModern && { 'mcp-method': method, ...name }),
  }
  const sent = isModern ? { ...params, _meta: envelope } : params
  return {
    path: '/mcp',
    method: 'POST',
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: sent }),
  }
}

/** The call that is compared: one page of the list, about 3 KB. Version 1 of the SDK speaks only the older form. */
export function toCall({ way }: Pick<BenchServer, 'way'>, version: Version = '2026-07-28'): Target {
  if (way === 'rest') return toRest('/api/emails_list?limit=20')
  const params = { name: 'emails_list', arguments: { limit: 20 } }
  return toRpc('tools/call', params, way === 'sdk-v1' ? '2025-06-18' : version)
}

/** The answer to one request, as text. */
export async function ask(
  url: string,
  token: string,
  { path, method, headers, body }: Target,
): Promise<string> {
  const init = {
    method,
    headers: { ...headers, authorization: `Bearer ${token}` },
    ...(body !== undefined && { body }),
  }
  return (await fetch(url + path, init)).text()
}

/** A fast wrong answer is no result: every server must return the route's own bytes. */
export async function checkAnswers(servers: readonly BenchServer[]): Promise<void> {
  for (const server of servers) {
    const wanted = await ask(server.url, server.token, toRest('/api/emails_list?limit=20'))
    const answer = await ask(server.url, server.token, toCall(server))
    const found = server.way === 'rest' ? answer : JSON.parse(answer).result?.content?.[0]?.text
    if (wanted.length < 2_500 || found !== wanted)
      throw new Error(`wrong answer from ${server.name}: ${answer}`)
  }
}
