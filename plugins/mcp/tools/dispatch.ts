import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { DispatchedCall, DispatchMode } from '../declarations.ts'
import type { Tool } from './describe.ts'
import type { ToolRequest } from './to-request.ts'

export interface DispatchOptions {
  readonly fastify: FastifyInstance
  readonly tool: Tool
  readonly call: DispatchedCall
  readonly toolRequest: ToolRequest
  /** The client's address, as the outer request has it. */
  readonly address: string
  readonly mode: DispatchMode
  /** Milliseconds. */
  readonly deadline: number
  /** Aborts when the client is gone and does not want the answer any more. */
  readonly disconnect: AbortSignal
}

export interface ToolResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, number | string | string[] | undefined>>
  readonly body: string
}

export type DispatchOutcome =
  | { readonly kind: 'answered'; readonly response: ToolResponse }
  /** A check came as far as the handler, an admission as far as the arguments. */
  | { readonly kind: 'passed' }
  /** The URL led to no route, or to another route than the tool's: nothing of it ran. */
  | { readonly kind: 'strayed' }
  | { readonly kind: 'late'; readonly mayStillChange: boolean }
  | { readonly kind: 'disconnected' }

interface Dispatch {
  readonly key: symbol
  readonly method: string
  readonly call: DispatchedCall
  readonly mode: DispatchMode
  /** The injected request, once it has reached the tool's own route. */
  raw: object | null
  isStray: boolean
  hasPassed: boolean
}

// The identity travels in the async context of the call: no header or string that an outside caller could send.
const dispatches = new AsyncLocalStorage<Dispatch>()

// Once a request has proved to be the dispatched one it stays so, even where a hook loses the async context.
const reached = new WeakMap<object, Dispatch>()

const toolKey = Symbol('mcp.tool')

declare module 'fastify' {
  interface FastifyContextConfig {
    [toolKey]?: symbol
  }
}

/**
 * Marks a route at `onRoute`, so that a dispatched request can prove that it reached this one and no other, and adds
 * the hooks at which a dispatch stops that is not to run it. Several endpoints may expose the same route.
 */
export function markAsTool(route: RouteOptions, isDestructive: boolean): symbol {
  const marked = route.config?.[toolKey]
  if (marked !== undefined) return marked
  const key = Symbol(route.url)
  route.config = { ...route.config, [toolKey]: key }
  route.preValidation = [...[route.preValidation ?? []].flat(), stopAdmissions]
  if (isDestructive) route.preHandler = [...[route.preHandler ?? []].flat(), stopChecks]
  return key
}

/**
 * Adds `request.mcp` and the hook that stops a dispatched request before it runs any route but the tool's own.
 * Once per Fastify instance, however many endpoints are registered in it.
 */
export function decorateRequests(fastify: FastifyInstance): void {
  if (fastify.hasRequestDecorator('mcp')) return
  fastify.decorateRequest('mcp', {
    getter() {
      return findDispatch(this)?.call ?? null
    },
  })
  fastify.decorateRequest('mcpCaller', null)
  fastify.addHook('onRequest', (request, reply, done) => {
    const dispatch = dispatches.getStore()
    if (dispatch === undefined || findDispatch(request) !== null || dispatch.raw !== null) return done()
    reply.code(404).send()
  })
}

/** Runs a tool through the route that owns it, as the caller, and waits until it answers or time is up. */
export async function dispatchTool(options: DispatchOptions): Promise<DispatchOutcome> {
  const { tool, call, mode, disconnect } = options
  const dispatch: Dispatch = {
    key: tool.key,
    method: tool.method,
    call,
    mode,
    raw: null,
    isStray: false,
    hasPassed: false,
  }
  const mayChange = mode === 'run' && !tool.readOnly
  const abort = mayChange ? null : new AbortController()
  if (disconnect.aborted) return { kind: 'disconnected' }
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<DispatchOutcome>(resolve => {
    timer = setTimeout(resolve, options.deadline, { kind: 'late', mayStillChange: mayChange } as const)
    if (abort) disconnect.addEventListener('abort', () => resolve({ kind: 'disconnected' }), { once: true })
  })
  try {
    const outcome = await Promise.race([inject(options, dispatch, abort?.signal), late])
    if (outcome.kind === 'late' || outcome.kind === 'disconnected') abort?.abort()
    return outcome
  } finally {
    clearTimeout(timer)
  }
}

async function inject(
  { fastify, tool, toolRequest, address }: DispatchOptions,
  dispatch: Dispatch,
  signal?: AbortSignal,
): Promise<DispatchOutcome> {
  // Awaited inside: inject returns a lazy thenable, which would start outside this context, without the identity.
  const response = await dispatches.run(dispatch, async () =>
    fastify.inject({
      method: tool.method,
      url: toolRequest.url,
      headers: toolRequest.headers,
      remoteAddress: address,
      ...(toolRequest.payload !== null && { payload: toolRequest.payload }),
      ...(signal && { signal }),
    }),
  )
  if (dispatch.hasPassed) return { kind: 'passed' }
  if (dispatch.isStray || dispatch.raw === null) return { kind: 'strayed' }
  return {
    kind: 'answered',
    response: { status: response.statusCode, headers: response.headers, body: response.payload },
  }
}

// The first request in the call's context is the injected one; what its handler injects further is not the tool.
function findDispatch(request: FastifyRequest): Dispatch | null {
  const known = reached.get(request.raw)
  if (known !== undefined) return known
  const dispatch = dispatches.getStore()
  if (dispatch === undefined || dispatch.raw !== null || dispatch.isStray) return null
  if (request.method !== dispatch.method || request.routeOptions.config[toolKey] !== dispatch.key) {
    dispatch.isStray = true
    return null
  }
  dispatch.raw = request.raw
  reached.set(request.raw, dispatch)
  return dispatch
}

/** The last preValidation hook of a tool's route. */
function stopAdmissions(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  stopAt('admit', { request, reply, done })
}

/** The last preHandler of a destructive route: a check ends here, with everything before the handler passed. */
function stopChecks(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  stopAt('check', { request, reply, done })
}

function stopAt(
  mode: DispatchMode,
  { request, reply, done }: { request: FastifyRequest; reply: FastifyReply; done: () => void },
): void {
  const dispatch = findDispatch(request)
  if (dispatch?.mode === mode) {
    dispatch.hasPassed = true
    reply.code(204).send()
  } else done()
}
