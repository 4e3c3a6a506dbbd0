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

export const jsonType = 'application/json; charset=utf-8'

export function sendJson(reply: FastifyReply, status: number, json: string): FastifyReply {
  return reply.code(status).type(jsonType).send(json)
}

/** Bytes from which on they are not copied: up to there a hook of the application is spared a stream. */
const large = 65_536

/** JSON of which all but the start is kept as bytes: as a stream of both, where there are many. */
export function sendBytes(reply: FastifyReply, start: string, bytes: Buffer): FastifyReply {
  const pieces = [Buffer.from(start), bytes]
  return reply
    .code(200)
    .type(jsonType)
    .send(bytes.length < large ? Buffer.concat(pieces) : new Pieces(pieces))
}

/** Bytes in turn, of known length. */
export class Pieces extends Readable {
  readonly #pieces: readonly Buffer[]

  constructor(pieces: readonly Buffer[]) {
    super()
    this.#pieces = pieces
  }

  get byteLength(): number {
    return this.#pieces.reduce((sum, piece) => sum + piece.length, 0)
  }

  override _read(): void {
    for (const piece of this.#pieces) this.push(piece)
    this.push(null)
  }
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
