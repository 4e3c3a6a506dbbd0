import type { FastifyRequest } from 'fastify'
import type { CompletionInput } from './prompts/prompt.ts'

/**
 * Who calls: what the `authenticate` option returns. The plugin reads these three members and hands the whole
 * object, untouched, to the dispatched route as `request.mcp.caller`. An embedding API adds its own members by
 * declaration merging, so that no cast is needed on either side.
 */
export interface Caller {
  /** The person or account; stable across tokens. */
  readonly id: string
  /** The OAuth client that the token was issued to, or null when there is none. */
  readonly clientId: string | null
  /** Every scope in effect: where one scope implies another, both are listed. */
  readonly scopes: readonly string[]
}

/** What the client says of itself; never used for a decision, only for logs and audit. */
export interface ClientInfo {
  readonly name: string
  readonly version: string
}

/** `request.mcp` in a request that a tool call dispatched. */
export interface DispatchedCall {
  /** The identity that POST /mcp verified. */
  readonly caller: Caller
  /** The client's own name and version, when it sent them. */
  readonly client: ClientInfo | null
  /** The protocol version in use, such as `2026-07-28`. */
  readonly protocolVersion: string
  /** The tool's name. */
  readonly tool: string
  /** The id of the POST /mcp request that this one belongs to. */
  readonly requestId: string
  /** Why the route is asked: it is what was called, or it only serves something else that was. */
  readonly purpose: DispatchPurpose
  /** How far the route runs. */
  readonly mode: DispatchMode
}

/**
 * `call`: a `tools/call` of this very tool. `resource`: a document that is read. `preview`: what a question is about.
 * `completion`: values for an argument.
 */
export type DispatchPurpose = 'call' | 'resource' | 'preview' | 'completion'

/**
 * `run`: all of the route. `check`: everything up to the handler, and the handler does not run. `admit`: only what
 * comes before the arguments are read, so who calls and whether they may.
 */
export type DispatchMode = 'run' | 'check' | 'admit'

/** A `tools/call` that the endpoint answered by itself: its route was not asked, or only whether it would run. */
export interface UnreachedCall extends Omit<DispatchedCall, 'purpose' | 'mode'> {
  /**
   * Why: `insufficient_scope`; `not_found`, for a path that leads elsewhere; `confirmation_required`, whether the person
   * is asked or cannot be; `confirmation_declined`; `precondition_failed`; `invalid_params`, where what came back with a
   * confirmation was not given out for this call, or the arguments are no object; or that of what refused the call in the
   * place of its route: the router, a hook before the plugin's, the preview of a question, `context`.
   */
  readonly code: string
  /** The HTTP status that goes with the code. */
  readonly status: number
  /** Of the arguments, as they were sent, those that the route's path is made of: what the call was about. */
  readonly params: Readonly<Record<string, unknown>>
}

/** A `tools/call` of a known tool, as it begins: for traces, metrics and logs. */
export interface ObservedCall extends Omit<DispatchedCall, 'purpose' | 'mode'> {
  /** Of `traceparent`, `tracestate` and `baggage` those that the client sent, as headers; the route gets them too. */
  readonly trace: Readonly<Record<string, string>>
}

/** What came of it. */
export interface CallReport {
  /**
   * `ok`; `asked`: the person is asked first; `error`: a tool error, with its code; `refused`: an HTTP refusal, with its
   * code where it has one; `invalid`: the call is wrong (-32602); `late`: given up at its deadline; `gone`: the client
   * left; `failed`: an internal error.
   */
  readonly outcome: 'ok' | 'asked' | 'error' | 'refused' | 'invalid' | 'late' | 'gone' | 'failed'
  readonly code: string | null
  /** What the route answered with; null where it was not asked, or did not answer. */
  readonly status: number | null
  /** Whether the person's yes came with the call. */
  readonly isConfirmed: boolean
  readonly milliseconds: number
}

/** Calls `run` once, and waits for it. */
export type AroundCall = (
  call: ObservedCall,
  run: () => Promise<CallReport>,
  request: FastifyRequest,
) => Promise<void>

/** What a route says of itself as a tool, in `config.mcp`; `true` is the same as `{}`. */
export interface RouteMcp {
  /** The tool's name; default: the schema's `operationId`. */
  readonly name?: string
  /** The tool's title; default: the schema's `summary`. */
  readonly title?: string
  /** Changes nothing; default: true for GET. */
  readonly readOnly?: boolean
  /** Runs only after a confirmation; default: true for DELETE. */
  readonly destructive?: boolean
  /** Repeating it changes nothing more; default: true for GET, PUT and DELETE. */
  readonly idempotent?: boolean
  /** Reaches systems outside this API; default: false. */
  readonly openWorld?: boolean
  /** Milliseconds until a call is given up; default: the plugin's `deadline`. */
  readonly deadline?: number
  /** The route needs Node's own request and response classes; default: the plugin's `dispatch`. */
  readonly dispatch?: 'inject'
  /** False: no tool, only a resource. Default true. */
  readonly tool?: boolean
  /**
   * The document that the route, a GET, answers for: its URI, fixed or a template of RFC 6570 level 1 whose variables
   * are the route's arguments. `name`, `title` and `description` default to the route's, `mimeType` to
   * application/json; `complete` says, by variable, where values come from.
   */
  readonly resource?: {
    readonly uri: string
    readonly name?: string
    readonly title?: string
    readonly description?: string
    readonly mimeType?: string
    /** Bytes, where known. */
    readonly size?: number
    readonly complete?: Readonly<Record<string, CompletionInput>>
  }
  /**
   * What a person is asked before the tool runs, such as `Delete the e-mail {data.subject}?`: paths into the answer
   * of the preview, or into the call with `{arguments.…}`; `:date` after a path prints a day. Default: the title
   * and the arguments.
   */
  readonly question?: string
  /** The tool, a GET, that shows what will be affected; `arguments` maps its arguments to this tool's. */
  readonly preview?: string | { readonly tool: string; readonly arguments?: Readonly<Record<string, string>> }
}

/** The permissions of a caller, or null where the API has no permission model beside scopes. */
export type Permissions = ReadonlySet<string> | null

export type Authenticate = (request: FastifyRequest) => Caller | Promise<Caller>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Scopes that a call needs, all of them; `[]`: any authenticated caller. */
    scopes?: readonly string[]
    /** The permission that the person needs, when the API has a permission model. */
    permission?: string
    /** Whether, and how, the route is a tool. Absent or false: it is not. */
    mcp?: boolean | RouteMcp
  }

  interface FastifyRequest {
    /** The tool call that dispatched this request in process; null for every request from outside. */
    readonly mcp: DispatchedCall | null
    /** The caller of POST /mcp itself, between its hooks and its handler; null everywhere else. */
    mcpCaller: Caller | null
  }
}
