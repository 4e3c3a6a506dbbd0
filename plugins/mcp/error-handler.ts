import type { FastifyError } from 'fastify'
import { hasToken, withChallenge } from './challenge.ts'
import { rpcCodes } from './errors.ts'
import { isObject } from './message.ts'
import type { Refusal } from './outcome.ts'
import { type Exchange, sendError, sendProblem } from './reply.ts'
import type { Server } from './server.ts'

/**
 * What hooks, options and Fastify's own parser throw; `headers` go into the answer, and the `detail` of a failed
 * authentication, which is for whoever sent the token.
 */
export type ThrownError = FastifyError & { readonly headers?: unknown; readonly detail?: unknown }

/** Answers what was thrown on the way to a method: too large a body is JSON-RPC, everything else a problem document. */
export function replyToError(server: Server, error: ThrownError, exchange: Exchange): void {
  const { request, reply } = exchange
  const invalid = toInvalidBody(server, error)
  if (invalid) {
    const { status, message } = invalid
    // The body of a client that has left broke off: nothing that anybody could look into.
    if (error.code !== 'ECONNRESET') request.log.info({ err: error }, 'MCP request refused')
    sendError(reply, status, { id: undefined, error: { code: rpcCodes.invalidRequest, message } })
    return
  }
  const refusal = toRefusal(error, exchange)
  if (refusal.code === 'unavailable' && error.statusCode !== 503)
    request.log.error({ err: error }, 'MCP request failed')
  sendProblem(withChallenge(refusal, server, request), exchange)
}

function toInvalidBody(
  { options }: Server,
  { code, statusCode }: ThrownError,
): { readonly status: number; readonly message: string } | null {
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return {
        status: 413,
        message: `Invalid request: the body is larger than ${options.bodyLimit} bytes`,
      }
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return { status: 400, message: 'Invalid request: wrong Content-Length' }
    default:
      // Such as a body that broke off with its connection: the client's doing, and nothing that went wrong here.
      return statusCode === 400 ? { status: 400, message: 'Invalid request' } : null
  }
}

function toRefusal(error: ThrownError, { request, reply }: Exchange): Refusal {
  const headers = toHeaders(error.headers)
  // A plugin that limits by itself has said it on the reply.
  const retryAfter = (seconds: string): Record<string, string> =>
    reply.hasHeader('retry-after') ? {} : { 'retry-after': seconds }
  switch (error.statusCode) {
    case 401: {
      const usual = hasToken(request) ? 'The access token is not valid.' : 'An access token is required.'
      const detail = typeof error.detail === 'string' ? error.detail : usual
      return { kind: 'refusal', code: 'unauthorized', detail, headers }
    }
    case 403:
      return { kind: 'refusal', code: 'forbidden', detail: 'Not allowed.', headers }
    case 415:
      return { kind: 'refusal', code: 'unsupported_media_type', detail: 'The body must be application/json.' }
    case 429:
      return {
        kind: 'refusal',
        code: 'rate_limited',
        detail: 'Too many requests.',
        headers: { ...retryAfter('1'), ...headers },
      }
    default:
      return {
        kind: 'refusal',
        code: 'unavailable',
        detail: 'The service is not available right now.',
        headers: { ...retryAfter('5'), ...headers },
      }
  }
}

function toHeaders(headers: unknown): Record<string, string> {
  if (!isObject(headers)) return {}
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  )
}
