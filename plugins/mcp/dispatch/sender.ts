import type { FastifyInstance } from 'fastify'
import type { Tool } from '../tools/describe.ts'
import type { Dispatch } from './identity.ts'

/** A request on its way into the API's own routes. */
export interface Outgoing {
  readonly method: Tool['method']
  /** Path and query, encoded as on a wire. */
  readonly url: string
  /** In lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON, or null for no body. */
  readonly payload: string | null
  /** The client's address. */
  readonly address: string
}

export interface ToolResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, number | string | readonly string[] | undefined>>
  readonly body: string
}

/** Called once: with what the route answered, or with the error for which it never will. */
export type OnAnswer = (error: Error | null, response: ToolResponse | null) => void

export interface Sending {
  readonly fastify: FastifyInstance
  /** What proves to the route who calls. */
  readonly dispatch: Dispatch
  readonly outgoing: Outgoing
}

/** One way into a route, in process. Both ways run the same hooks over the same request and give the same answer. */
export type Sender = (sending: Sending, onAnswer: OnAnswer) => void
