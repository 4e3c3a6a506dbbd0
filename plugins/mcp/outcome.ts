import type { ProblemCode } from './errors.ts'
import type { RpcError } from './message.ts'
import type { TextResult } from './text/text-message.ts'

/** What a method returns, for the route to reply: no method touches HTTP itself. */
export type Outcome = {
  readonly ended?: Ended
} /** A result: its members as JSON, without the braces, so that what is printed stays as it is. */ & (
  | { readonly kind: 'result'; readonly members: string }
  /** What a tool answers with. */
  | ({ readonly kind: 'text' } & TextResult)
  /** A page of a list: its members, encoded, up to the end of the message. */
  | { readonly kind: 'page'; readonly bytes: Buffer }
  /** A question to the person, in the same form: `inputRequests` and `requestState`. */
  | { readonly kind: 'input_required'; readonly members: string }
  /** A JSON-RPC error, in a 200 unless a status is named. */
  | { readonly kind: 'error'; readonly error: RpcError; readonly status?: number }
  /** An HTTP refusal: a problem document, with a challenge where the code calls for one. */
  | Refusal
  /** The client is gone: there is nobody to answer. */
  | { readonly kind: 'gone' }
)

/** How a tool's route ended, for those who watch; the answer says it already. */
export interface Ended {
  /** The code of the problem that a tool error carries. */
  readonly code?: string
  /** What the route answered with. */
  readonly status?: number
  /** The person's yes came with the call. */
  readonly isConfirmed?: true
  /** Nobody waited any longer. */
  readonly isLate?: true
  /** What is wrong with the route, for whoever runs it. */
  readonly flaw?: Flaw
}

/** A line for the log: `error` where the call failed for it. */
export interface Flaw {
  readonly level: 'warn' | 'error'
  readonly reason: string
}

export interface Refusal {
  readonly kind: 'refusal'
  readonly code: ProblemCode
  readonly detail: string
  readonly headers?: Readonly<Record<string, string>>
  /** For `insufficient_scope`: every scope that the operation needs. */
  readonly scopes?: readonly string[]
}

export function toError(code: RpcError['code'], message: string, data?: RpcError['data']): Outcome {
  return { kind: 'error', error: data ? { code, message, data } : { code, message } }
}
