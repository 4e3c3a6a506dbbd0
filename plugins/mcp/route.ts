import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { answerRequest } from './answer-request.ts'
import { checkCaller } from './check-caller.ts'
import { decideEra } from './era.ts'
import { replyToError, type ThrownError } from './error-handler.ts'
import { rpcCodes } from './errors.ts'
import { toVersionHeader } from './headers.ts'
import { parseMessage } from './message.ts'
import type { ParsedOptions } from './options.ts'
import { type Exchange, Pieces, sendError, sendProblem } from './reply.ts'
import type { Server } from './server.ts'

/**
 * HTTP in and out of one endpoint: verbs, admission and the kinds of messages. It is registered in a context of its
 * own, with the endpoint's path as prefix, so that its error handler and parser touch no other route.
 */
export function registerEndpoint(
  fastify: FastifyInstance,
  { bodyLimit }: ParsedOptions,
  getServer: () => Server,
): void {
  fastify.removeAllContentTypeParsers()
  // The bytes as they came: the message is parsed once, and a parse error is a JSON-RPC error.
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer', bodyLimit }, (_request, body, done) =>
    done(null, body),
  )
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    reply.header('cache-control', 'no-store')
    // Here and not before: a hook of the application, which comes first, may send something else instead.
    if (payload instanceof Pieces) reply.header('content-length', payload.byteLength)
    done(null, payload)
  })
  fastify.setErrorHandler((error: ThrownError, request, reply) =>
    replyToError(getServer(), error, { request, reply }),
  )
  fastify.setNotFoundHandler((request, reply) => {
    const isEndpoint = request.url.split('?', 1)[0] === fastify.prefix
    if (isEndpoint) return replyNotAllowed(request, reply)
    const detail = 'There is nothing at this address.'
    return sendProblem({ kind: 'refusal', code: 'not_found', detail }, { request, reply })
  })
  const others = fastify.supportedMethods.filter(method => method !== 'POST' && method !== 'OPTIONS')
  fastify.route({
    method: others,
    url: '',
    exposeHeadRoute: false,
    // Before the body is read: whatever its type or size, the verb is what is wrong.
    onRequest: async (request, reply) => replyNotAllowed(request, reply),
    handler: replyNotAllowed,
  })
  fastify.post('', {
    onRequest: (request, reply) => admit(getServer(), { request, reply }),
    handler: (request, reply) => answer(getServer(), { request, reply }),
  })
}

// Origin before authentication, authentication before the budget, all of it before the body is read.
async function admit({ options }: Server, { request, reply }: Exchange): Promise<FastifyReply | undefined> {
  const { origin } = request.headers
  if (origin !== undefined && !isAllowed(origin, options.allowedOrigins)) {
    const detail = 'This origin may not call the endpoint.'
    // Returned, because Fastify goes on to the body, and to the handler, after a hook that gives nothing back.
    return sendProblem({ kind: 'refusal', code: 'origin_not_allowed', detail }, { request, reply })
  }
  const caller = checkCaller(await options.authenticate(request))
  request.mcpCaller = caller
  await options.limit?.(request, reply, caller)
  return undefined
}

function isAllowed(origin: string, allowed: ParsedOptions['allowedOrigins']): boolean {
  // Nothing but true: whatever else a function may give, such as a promise, is no permission.
  return typeof allowed === 'function' ? allowed(origin) === true : allowed.includes(origin)
}

// Gives nothing back: where a promise of a reply is returned, Fastify waits until the response has ended.
function answer(server: Server, exchange: Exchange): void {
  const { request, reply } = exchange
  const { body } = request
  if (!Buffer.isBuffer(body)) {
    const detail = 'The body must be application/json.'
    return void sendProblem({ kind: 'refusal', code: 'unsupported_media_type', detail }, exchange)
  }
  const message = parseMessage(body)
  switch (message.kind) {
    case 'invalid':
      return void sendError(reply, 400, { id: message.id, error: message.error })
    case 'notification':
      return void reply.code(202).send()
    case 'response':
      return void replyToResponse(server, exchange)
    case 'request':
      answerRequest(server, message, exchange).catch((error: Error) => reply.send(error))
  }
}

// 2025 clients may answer a server's request, though this one sends none; in 2026-07-28 a client must not.
function replyToResponse({ options }: Server, { request, reply }: Exchange): FastifyReply {
  const decision = decideEra({
    method: '',
    params: undefined,
    versionHeader: toVersionHeader(request.headers),
    supported: options.protocolVersions,
  })
  if ('era' in decision || decision.refusal.code === rpcCodes.unsupportedVersion)
    return reply.code(202).send()
  const message = 'Invalid request: a client sends no responses in this version'
  return sendError(reply, 400, { id: undefined, error: { code: rpcCodes.invalidRequest, message } })
}

function replyNotAllowed(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.header('allow', 'POST')
  const detail = 'The endpoint accepts POST only.'
  return sendProblem({ kind: 'refusal', code: 'method_not_allowed', detail }, { request, reply })
}
