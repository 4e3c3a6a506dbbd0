import { AsyncLocalStorage } from 'node:async_hooks'
import type { EventEmitter } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { DispatchedCall, DispatchMode } from '../declarations.ts'
import { DirectRequest } from './direct-request.ts'

/** One dispatched request on its way: who calls, and how far it came. */
export interface Dispatch {
  readonly key: symbol
  readonly method: string
  /** Path and query, as they are sent. */
  readonly url: string
  readonly call: DispatchedCall
  readonly mode: DispatchMode
  /** The outer request came by https, as far as the application trusts who says so. */
  readonly isEncrypted: boolean
  /** False: the client named none, which an old one may leave out. */
  readonly hasHost: boolean
  /** The raw request; null until it is known. */
  raw: RawRequest | null
  /** `reached`: it is at the tool's own route. `strayed`: at another, or at none. */
  place: 'under way' | 'reached' | 'strayed'
  /** Stopped before the handler, with everything passed that comes before. */
  hasPassed: boolean
  /** Nobody waits for it any more, and it changes nothing: it is to end. */
  isGivenUp: boolean
  /** Whether the serializer of an answer follows from its status alone, so that what it prints can be noted. */
  readonly isNoted: boolean
  /** What the route's serializer printed, before any hook could replace it; null: nothing, or something else did. */
  printed: string | null
}

/** What ends a request from outside of it. */
interface RawRequest {
  aborted: boolean
  readonly socket: EventEmitter & { encrypted?: boolean }
  readonly headers: IncomingHttpHeaders
  destroy(): unknown
}

// Where the raw request is made by others the identity travels in the async context of the call, and the first raw
// request for the URL that was sent is the dispatched one: what its hooks and its handler inject further is not the tool.
const contexts = new AsyncLocalStorage<Dispatch>()

// Once a request has proved to be the dispatched one it stays so, even where a hook loses the async context.
const claimed = new WeakMap<object, Dispatch>()

/** Under which a route of a tool has its key, in its `config`. */
export const toolKey = Symbol('mcp.tool')

declare module 'fastify' {
  interface FastifyContextConfig {
    [toolKey]?: symbol
  }
}

/**
 * Adds `request.mcp` and the hook that stops a dispatched request before it runs any route but the tool's own.
 * Once per application, however many endpoints are registered in it and in which of its contexts.
 */
export function decorateRequests(fastify: FastifyInstance): void {
  if (!fastify.hasRequestDecorator('mcpCaller')) fastify.decorateRequest('mcpCaller', null)
  const root = toRoot(fastify)
  if (guarded.has(root)) return
  guarded.add(root)
  // In all contexts, before and after this one: null is what tells that a request came from outside.
  root.decorateRequest('mcp', {
    getter() {
      return findDispatch(this)?.call ?? null
    },
  })
  guardRoutes(root)
}

const guarded = new WeakSet<FastifyInstance>()

/** The URL of a tool may lead into any context. */
function guardRoutes(root: FastifyInstance): void {
  wrapIds(root)
  root.addHook('onRequest', (request, reply, done) => {
    const dispatch = dispatchOf(request.raw)
    if (dispatch === null || isAtTool(dispatch, request)) return done()
    reply.code(404).send()
  })
}

const ownIds = new WeakSet<WithIds['genReqId']>()

/**
 * Has dispatched requests go by the id of their call, in its answer, in logs and in records. It is also the first that
 * Fastify asks for a request: hooks of the application that come before the plugin's find it claimed. A context may make
 * ids of its own.
 */
export function wrapIds(context: FastifyInstance): void {
  const { genReqId } = context as unknown as WithIds
  if (ownIds.has(genReqId)) return
  const toId: WithIds['genReqId'] = function (raw) {
    return dispatchOf(raw)?.call.requestId ?? genReqId.call(this, raw)
  }
  ownIds.add(toId)
  context.setGenReqId(toId)
}

/** The outermost context. A context is made with the one around it as prototype. */
function toRoot(fastify: FastifyInstance): FastifyInstance {
  const around: unknown = Object.getPrototypeOf(fastify)
  return around === Object.prototype || around === null ? fastify : toRoot(around as FastifyInstance)
}

/** What the types of Fastify leave out: the function that `setGenReqId` replaces. */
interface WithIds {
  readonly genReqId: (this: FastifyInstance, raw: FastifyRequest['raw']) => string
}

/** Runs what makes a raw request; the first that comes of it belongs to the dispatch. */
export function runAs(dispatch: Dispatch, send: () => void): void {
  contexts.run(dispatch, send)
}

/** Ends a request that changes nothing, in the way that it ends when a client leaves. */
export function giveUp(dispatch: Dispatch): void {
  dispatch.isGivenUp = true
  const { raw } = dispatch
  if (raw === null) return
  // What Fastify's onRequestAbort asks for, and no other than Node's own server sets.
  raw.aborted = true
  // Without an error, which Fastify would log as the server's: a response whose client has left has none either.
  raw.destroy()
}

/** The dispatch that reached its tool's own route with this request; null for every other request. */
export function findDispatch(request: FastifyRequest): Dispatch | null {
  const dispatch = dispatchOf(request.raw)
  return dispatch !== null && isAtTool(dispatch, request) ? dispatch : null
}

/** With the URL as it was before the application's `rewriteUrl`, where it has one. */
type Raw = FastifyRequest['raw'] & { readonly originalUrl?: string }

/** The dispatch that a raw request was made for, wherever it came; null for a request from outside. */
export function dispatchOf(raw: Raw): Dispatch | null {
  const own = DirectRequest.dispatchOf(raw) ?? claimed.get(raw)
  if (own !== undefined) return own
  const dispatch = contexts.getStore()
  if (dispatch === undefined || dispatch.raw !== null || !isSent(dispatch, raw)) return null
  dispatch.raw = raw
  claimed.set(raw, dispatch)
  // Injected, a request has a socket that knows nothing but the address, and a host even where there was none.
  if (dispatch.isEncrypted) dispatch.raw.socket.encrypted = true
  if (!dispatch.hasHost) dispatch.raw.headers.host = ''
  if (dispatch.isGivenUp) giveUp(dispatch)
  return dispatch
}

// A hook of the application may inject a request of its own, and may do so before the dispatched one is known.
function isSent({ method, url }: Dispatch, raw: Raw): boolean {
  if (raw.method !== method) return false
  const found = raw.originalUrl ?? raw.url
  // A pattern may have characters in it that `inject` encodes.
  return found === url || found === toEncoded(url)
}

function toEncoded(url: string): string {
  const { pathname, search } = new URL(url, 'http://localhost')
  return pathname + search
}

function isAtTool(dispatch: Dispatch, request: FastifyRequest): boolean {
  if (dispatch.place === 'under way') {
    const isOwn = request.method === dispatch.method && request.routeOptions.config[toolKey] === dispatch.key
    dispatch.place = isOwn ? 'reached' : 'strayed'
  }
  return dispatch.place === 'reached'
}
