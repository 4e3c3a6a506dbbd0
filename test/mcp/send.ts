import type { FastifyInstance } from 'fastify'
import type { Dispatch } from '../../plugins/mcp/dispatch/identity.ts'
import { sendByInject } from '../../plugins/mcp/dispatch/send-by-inject.ts'
import { sendDirectly } from '../../plugins/mcp/dispatch/send-directly.ts'
import type { Outgoing, ToolResponse } from '../../plugins/mcp/dispatch/sender.ts'
import type { Way } from './ways.ts'

/** A request as a test gives it; GET without a body from 192.0.2.1 where it says nothing else. */
export type Sent = Partial<Omit<Outgoing, 'method'>> & {
  readonly url: string
  readonly method?: string
  /** Of the route that is meant, where the application stops what comes to another. */
  readonly key?: symbol
  readonly isEncrypted?: boolean
}

const senders = { inject: sendByInject, direct: sendDirectly }

/** Headers of one connection, and the clock: no part of an answer. */
const hopByHop = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding'])

/** Sends a request into an application in one of the two ways, past the plugin's own rules. */
export function send(app: FastifyInstance, way: Way, sent: Sent): Promise<ToolResponse> {
  return begin(app, way, sent).answer
}

/** The same, with what a caller needs to end it early. */
export function begin(
  app: FastifyInstance,
  way: Way,
  sent: Sent,
): { readonly dispatch: Dispatch; readonly answer: Promise<ToolResponse> } {
  const { method = 'GET', url, headers = {}, payload = null, address = '192.0.2.1' } = sent
  const { key = Symbol('test'), isEncrypted = false } = sent
  const dispatch: Dispatch = {
    key,
    method,
    url,
    call: {
      caller: { id: 'usr_ana', clientId: null, scopes: [] },
      client: null,
      protocolVersion: '2026-07-28',
      tool: 'test',
      requestId: 'req-1',
      purpose: 'call',
      mode: 'run',
    },
    mode: 'run',
    isEncrypted,
    hasHost: true,
    raw: null,
    place: 'under way',
    hasPassed: false,
    isGivenUp: false,
    isNoted: false,
    printed: null,
  }
  // As the plugin sends it: the client's name, or none, is always there.
  const own = { host: 'api.test', 'user-agent': 'desk', ...headers }
  const outgoing = { method: method as Outgoing['method'], url, payload, address, headers: own }
  const answer = new Promise<ToolResponse>((resolve, reject) => {
    senders[way]({ fastify: app, dispatch, outgoing }, (error, response) => {
      if (response === null) reject(error)
      else resolve(response)
    })
  })
  return { dispatch, answer }
}

/** What of an answer is compared: status, headers as text, and body. */
export function toComparable({ status, headers, body }: ToolResponse) {
  const own = Object.entries(headers)
    .filter(([name]) => !hopByHop.has(name))
    .map(([name, value]) => [name, Array.isArray(value) ? value.map(String) : String(value)])
  return { status, headers: Object.fromEntries(own), body }
}
