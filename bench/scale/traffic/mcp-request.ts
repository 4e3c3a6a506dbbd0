import type { TrafficContext } from './client.ts'
import type { Sending } from './send.ts'

/** A tool call of either era of the protocol, and what a retry that answers a question adds to it. */
export interface ToolCall {
  readonly kind: string
  readonly era: '2025-06-18' | '2026-07-28'
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  readonly more?: Readonly<Record<string, unknown>>
  /** The replica that is to answer, where it can. */
  readonly replica?: 0 | 1
}

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  'io.modelcontextprotocol/clientInfo': { name: 'scale', version: '1.0.0' },
}

export function toMcpRequest({ people, url }: TrafficContext, call: ToolCall): Sending {
  const isModern = call.era === '2026-07-28'
  const params = { name: call.name, arguments: call.args, ...call.more, ...(isModern && { _meta: envelope }) }
  return {
    kind: call.kind,
    method: 'POST',
    url: `${url}/mcp`,
    headers: {
      authorization: people.bearer('mcp'),
      'content-type': 'application/json',
      'mcp-protocol-version': call.era,
      ...(isModern && { 'mcp-method': 'tools/call', 'mcp-name': call.name }),
      ...(call.replica !== undefined && { 'x-replica': String(call.replica) }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    status: 200,
  }
}
