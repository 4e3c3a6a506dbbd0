import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { type Metrics, toStatusClass } from '../lib/metrics/metrics.ts'
import { type Problem, problem } from '../lib/problem/problem.ts'
import { problemMediaType, toProblemDocument } from '../lib/problem/problem-document.ts'
import { toProblem } from '../lib/problem/to-problem.ts'
import { requestOn } from './endings.ts'

export interface EarlyErrorOptions {
  readonly publicUrl: string
  readonly createId: () => string
  readonly log: FastifyBaseLogger
  /** Null: nothing is counted. */
  readonly metrics: Metrics | null
}

/** Options of the server for what fails before there is a route, which no error handler and no hook gets to see. */
export function createEarlyErrorAnswers({ publicUrl, createId, log, metrics }: EarlyErrorOptions) {
  const tell = (requestLog: FastifyBaseLogger, method: string, { code, status }: Problem) => {
    requestLog.info({ code, status }, 'request refused')
    // It took no time that is worth telling.
    metrics?.httpSeconds.observe({ method, route: 'none', status: toStatusClass(status) }, 0)
  }
  return {
    /** A URL that cannot be decoded, or a parameter longer than any id. */
    frameworkErrors(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
      const what = toProblem(error)
      tell(request.log, request.method, what)
      reply
        .code(what.status)
        .headers({ 'cache-control': 'no-store', ...what.headers })
        .type(problemMediaType)
        .send(toProblemDocument(what, { requestId: request.id, publicUrl }))
    },

    /** What is no HTTP request at all: there is neither request nor reply, only the connection, which ends. */
    clientErrorHandler(error: NodeJS.ErrnoException, socket: Socket): void {
      if (error.code === 'ECONNRESET' || socket.destroyed) return
      const what = toConnectionProblem(error)
      const begun = requestOn(socket)
      const requestId = begun?.id ?? createId()
      // A body that breaks off: its request ends by itself, and once.
      if (begun === null) tell(log.child({ reqId: requestId }), 'none', what)
      if (socket.writable)
        socket.end(toResponse(what.status, toProblemDocument(what, { requestId, publicUrl })))
      else socket.destroy(error)
    },
  }
}

function toConnectionProblem({ code }: NodeJS.ErrnoException): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return problem('request_timeout', 'The request did not arrive in time.')
  if (code === 'HPE_HEADER_OVERFLOW') return problem('headers_too_large', 'The headers are too large.')
  return problem('bad_request', 'This is no HTTP request.')
}

function toResponse(status: number, body: string): string {
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${problemMediaType}; charset=utf-8`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}
