import type { FastifyReply, FastifyRequest } from 'fastify'
import { withChallenge } from './challenge.ts'
import { decideEra, type Era } from './era.ts'
import { rpcCodes } from './errors.ts'
import { findHeaderMismatch, toVersionHeader } from './headers.ts'
import { isObject, type Message, type RequestId, toMessageStart, toResultMessage } from './message.ts'
import { methods } from './methods/table.ts'
import type { Outcome } from './outcome.ts'
import { type Exchange, jsonType, sendBytes, sendError, sendJson, sendProblem } from './reply.ts'
import type { Server } from './server.ts'
import { toTextMessage } from './text/text-message.ts'
import { toTraceHeaders } from './trace-headers.ts'

type RequestMessage = Extract<Message, { kind: 'request' }>

/**
 * Answers one JSON-RPC request: version and envelope, headers against body, method, params, the method itself. Rejects
 * with what an option threw to refuse it.
 */
export async function answerRequest(
  server: Server,
  message: RequestMessage,
  exchange: Exchange,
): Promise<void> {
  const { request, reply } = exchange
  const { id, method: name, params } = message
  const decision = decideEra({
    method: name,
    params,
    versionHeader: toVersionHeader(request.headers),
    supported: server.options.protocolVersions,
  })
  if ('refusal' in decision) return void sendError(reply, 400, { id, error: decision.refusal })
  const { era } = decision
  reply.header('mcp-protocol-version', era.version)
  const mismatch = era.name === 'modern' ? findMismatch(server, message, { request, era }) : null
  if (mismatch)
    return void sendError(reply, 400, { id, error: { code: rpcCodes.headerMismatch, message: mismatch } })
  const method = methods.get(name)
  if (!method?.eras.includes(era.name) || !method.isAvailable(server)) {
    const error = { code: rpcCodes.methodNotFound, message: `Method not found: ${name.slice(0, 100)}` }
    return void sendError(reply, era.name === 'modern' ? 404 : 200, { id, error })
  }
  if (params !== undefined && !isObject(params)) {
    const error = { code: rpcCodes.invalidParams, message: 'Invalid params: params must be an object' }
    return void sendError(reply, 200, { id, error })
  }
  const { mcpCaller: caller } = request
  if (caller === null) throw new Error('a request reached its method without a caller')
  try {
    const context = {
      server,
      era,
      caller,
      params: params ?? {},
      trace: toTraceHeaders(params),
      request,
      reply,
    }
    const outcome = await method.run(context)
    replyWith(outcome, { server, era, id, isCacheable: method.isCacheable, request, reply })
  } catch (error) {
    if (isHttpRefusal(error)) throw error
    request.log.error({ err: error }, 'MCP method failed')
    return void sendError(reply, 200, { id, error: toInternalError(String(request.id)) })
  }
}

function findMismatch(
  { options, registry }: Server,
  { method, params }: RequestMessage,
  { request, era }: { readonly request: FastifyRequest; readonly era: Era },
): string | null {
  const name = method === 'tools/call' && isObject(params) ? params.name : undefined
  const mirrored = typeof name === 'string' ? (registry.find(name)?.mirrored ?? []) : []
  return findHeaderMismatch({
    headers: request.headers,
    version: era.version,
    method,
    params,
    mirrored,
    strict: options.strictHeaders,
  })
}

interface Reply extends Exchange {
  readonly server: Server
  readonly era: Era
  readonly id: RequestId
  readonly isCacheable: boolean
}

function replyWith(outcome: Outcome, answer: Reply): FastifyReply {
  const { id, server, request, reply } = answer
  switch (outcome.kind) {
    case 'result':
      return sendJson(reply, 200, toResultMessage(id, outcome.members, toClosing(answer)))
    case 'text':
      return reply
        .code(200)
        .type(jsonType)
        .send(toTextMessage(id, outcome, toClosing(answer)))
    case 'page':
      return sendBytes(reply, toMessageStart(id, toClosing(answer)), outcome.bytes)
    case 'input_required':
      return sendJson(reply, 200, toResultMessage(id, outcome.members, server.closings.asking))
    case 'error':
      return sendError(reply, outcome.status ?? 200, { id, error: outcome.error })
    case 'refusal':
      return sendProblem(withChallenge(outcome, server, request), answer)
    case 'gone':
      // Nobody reads this; Fastify still wants an answer to end the request with.
      return reply.code(503).send()
  }
}

// The members that this endpoint adds to every result.
function toClosing({ server, era, isCacheable }: Reply): string {
  if (era.name === 'handshake') return ''
  return isCacheable ? server.closings.cacheable : server.closings.plain
}

function isHttpRefusal(error: unknown): boolean {
  return error instanceof Error && 'statusCode' in error && [401, 429, 503].includes(Number(error.statusCode))
}

function toInternalError(requestId: string) {
  return {
    code: rpcCodes.internalError,
    message: `Internal error (request ${requestId})`,
    data: { requestId },
  }
}
