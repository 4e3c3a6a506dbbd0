import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { problemTitles, toProblemJson } from './errors.ts'
import { type RequestId, type RpcError, toErrorMessage } from './message.ts'
import type { Refusal } from './outcome.ts'

/** One POST: what came and what goes back. */
export interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

const jsonType = 'application/json; charset=utf-8'

export function sendJson(reply: FastifyReply, status: number, json: string): FastifyReply {
  return reply.code(status).type(jsonType).send(json)
}

/** JSON of which all but the start is kept as bytes: in turn, since copying some hundred kilobytes costs as much as sending them. */
export function sendBytes(reply: FastifyReply, start: string, bytes: Buffer): FastifyReply {
  const pieces = [Buffer.from(start), bytes]
  const body = new Readable({
    read() {
      for (const piece of pieces) this.push(piece)
      this.push(null)
    },
  })
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  return reply.type(jsonType).header('content-length', length).send(body)
}

/** A JSON-RPC error; without an id when none could be read. */
export function sendError(
  reply: FastifyReply,
  status: number,
  { id, error }: { readonly id: RequestId | undefined; readonly error: RpcError },
): FastifyReply {
  return sendJson(reply, status, toErrorMessage(id, error))
}

/** A refusal that this protocol gives no JSON-RPC code: a problem document, as in REST. */
export function sendProblem({ code, detail, headers }: Refusal, { request, reply }: Exchange): FastifyReply {
  const body = toProblemJson({ code, detail, requestId: String(request.id) })
  return reply
    .code(problemTitles[code].status)
    .headers({ ...headers })
    .type('application/problem+json')
    .send(body)
}
