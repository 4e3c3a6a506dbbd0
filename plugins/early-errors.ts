import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { type Problem, problem } from '../lib/problem/problem.ts'
import { problemMediaType, toProblemDocument } from '../lib/problem/problem-document.ts'
import { toProblem } from '../lib/problem/to-problem.ts'

/** Options of the server for what fails before there is a route, which no error handler gets to see. */
export function createEarlyErrorAnswers({
  publicUrl,
  createId,
}: {
  publicUrl: string
  createId: () => string
}) {
  return {
    /** A URL that cannot be decoded, or a parameter longer than any id. */
    frameworkErrors(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
      const what = toProblem(error)
      reply
        .code(what.status)
        .headers({ 'cache-control': 'no-store', ...what.headers })
        .type(problemMediaType)
        .send(toProblemDocument(what, { requestId: request.id, publicUrl }))
    },

    /** What is no HTTP request at all: there is neither request nor reply, only the connection, which ends. */
    clientErrorHandler(error: NodeJS.ErrnoException, socket: Socket): void {
      if (error.code === 'ECONNRESET' || socket.destroyed) return
      const document = toProblemDocument(toConnectionProblem(error), { requestId: createId(), publicUrl })
      if (socket.writable) socket.end(toResponse(toConnectionProblem(error).status, document))
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
