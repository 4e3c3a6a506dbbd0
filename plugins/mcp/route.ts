import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { decideEra, type Era } from './era.ts'
import { problemTitles, rpcCodes, toProblemJson } from './errors.ts'
import { findHeaderMismatch } from './headers.ts'
import { isObject, type Message, parseMessage, toErrorMessage, toResultMessage } from './message.ts'
import { methods } from './methods/table.ts'
import type { ParsedOptions } from './options.ts'
import type { Outcome, Refusal } from './outcome.ts'
import type { Server } from './server.ts'

/**
 * HTTP in and out of one endpoint: statuses, headers and the order of refusals. It is registered in a context of its
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
  fastify.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })
  fastify.setErrorHandler((error: FastifyError, request, reply) =>
    replyToError(getServer(), { error, request, reply }),
  )
  fastify.setNotFoundHandler((request, reply) => {
    const isEndpoint = request.url.split('?', 1)[0] === fastify.prefix
    if (isEndpoint) return replyNotAllowed(request, reply)
    return sendProblem(
      { kind: 'refusal', code: 'not_found', detail: 'There is nothing at this address.' },
      request,
      reply,
    )
  })
  const others = fastify.supportedMethods.filter(method => method !== 'POST' && method !== 'OPTIONS')
  fastify.route({ method: others, url: '', exposeHeadRoute: false, handler: replyNotAllowed })
  fastify.post('', {
    onRequest: (request, reply) => admit(getServer(), request, reply),
    handler: (request, reply) => answer(getServer(), request, reply),
  })
}

// Origin before authentication, authentication before the budget, all of it before the body is read.
async function admit({ options }: Server, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { origin } = request.headers
  if (origin !== undefined && !isAllowed(origin, options.allowedOrigins)) {
    sendProblem(
      { kind: 'refusal', code: 'origin_not_allowed', detail: 'This origin may not call the endpoint.' },
      request,
      reply,
    )
    return
  }
  const caller = await options.authenticate(request)
  request.mcpCaller = caller
  await options.limit?.(request, reply, caller)
}

function isAllowed(origin: string, allowed: Server['options']['allowedOrigins']): boolean {
  return typeof allowed === 'function' ? allowed(origin) : allowed.includes(origin)
}

async function answer(server: Server, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { body } = request
  if (!Buffer.isBuffer(body)) {
    const detail = 'The body must be application/json.'
    return sendProblem({ kind: 'refusal', code: 'unsupported_media_type', detail }, request, reply)
  }
  const message = parseMessage(body)
  switch (message.kind) {
    case 'invalid':
      return sendJson(reply, 400, toErrorMessage(message.id, message))
    case 'notification':
      return reply.code(202).send()
    case 'response':
      return replyToResponse(server, request, reply)
    case 'request':
      return answerRequest(server, message, { request, reply })
  }
}

// 2025 clients may answer a server's request, though this one sends none; in 2026-07-28 a client must not.
function replyToResponse({ options }: Server, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const decision = decideEra({
    method: '',
    params: undefined,
    versionHeader: toVersionHeader(request),
    supported: options.protocolVersions,
  })
  if ('era' in decision || decision.refusal.code === rpcCodes.unsupportedVersion)
    return reply.code(202).send()
  const error = {
    code: rpcCodes.invalidRequest,
    message: 'Invalid request: a client sends no responses in this version',
  }
  return sendJson(reply, 400, toErrorMessage(undefined, error))
}

interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

async function answerRequest(
  server: Server,
  message: Extract<Message, { kind: 'request' }>,
  exchange: Exchange,
): Promise<FastifyReply> {
  const { request, reply } = exchange
  const { options } = server
  const { id, method: name, params } = message
  const versionHeader = toVersionHeader(request)
  const decision = decideEra({ method: name, params, versionHeader, supported: options.protocolVersions })
  if ('refusal' in decision) return sendJson(reply, 400, toErrorMessage(id, decision.refusal))
  const { era } = decision
  reply.header('mcp-protocol-version', era.version)
  const mismatch =
    era.name === 'modern' ? findMismatch(server, message, { request, version: era.version }) : null
  if (mismatch)
    return sendJson(reply, 400, toErrorMessage(id, { code: rpcCodes.headerMismatch, message: mismatch }))
  const method = methods.get(name)
  if (!method?.eras.includes(era.name) || !method.isAvailable(server)) {
    const error = { code: rpcCodes.methodNotFound, message: `Method not found: ${name.slice(0, 100)}` }
    return sendJson(reply, era.name === 'modern' ? 404 : 200, toErrorMessage(id, error))
  }
  const { mcpCaller: caller } = request
  if (params !== undefined && !isObject(params)) {
    return sendJson(
      reply,
      200,
      toErrorMessage(id, {
        code: rpcCodes.invalidParams,
        message: 'Invalid params: params must be an object',
      }),
    )
  }
  if (caller === null) throw new Error('a request reached its method without a caller')
  try {
    const outcome = await method.run({ server, era, caller, params: params ?? {}, request, reply })
    return replyWith(outcome, { server, era, id, isCacheable: method.isCacheable, ...exchange })
  } catch (error) {
    if (isHttpRefusal(error)) throw error
    request.log.error({ err: error }, 'MCP method failed')
    const requestId = String(request.id)
    const internal = {
      code: rpcCodes.internalError,
      message: `Internal error (request ${requestId})`,
      data: { requestId },
    }
    return sendJson(reply, 200, toErrorMessage(id, internal))
  }
}

function findMismatch(
  { options, registry }: Server,
  { method, params }: Extract<Message, { kind: 'request' }>,
  { request, version }: { request: FastifyRequest; version: string },
): string | null {
  const name = method === 'tools/call' && isObject(params) ? params.name : undefined
  const mirrored = typeof name === 'string' ? (registry.find(name)?.mirrored ?? []) : []
  return findHeaderMismatch({
    headers: request.headers,
    version,
    method,
    params,
    mirrored,
    strict: options.strictHeaders,
  })
}

interface Reply extends Exchange {
  readonly server: Server
  readonly era: Era
  readonly id: string | number
  readonly isCacheable: boolean
}

function replyWith(outcome: Outcome, { server, era, id, isCacheable, request, reply }: Reply): FastifyReply {
  switch (outcome.kind) {
    case 'result':
      return sendJson(
        reply,
        200,
        toResultMessage(id, toResultJson(outcome.members, { server, era, isCacheable })),
      )
    case 'error':
      return sendJson(reply, outcome.status ?? 200, toErrorMessage(id, outcome.error))
    case 'refusal':
      return sendProblem(withChallenge(outcome, server, request), request, reply)
    case 'gone':
      // Nobody reads this; Fastify still wants an answer to end the request with.
      return reply.code(503).send()
  }
}

function toResultJson(
  members: string,
  { server, era, isCacheable }: Pick<Reply, 'server' | 'era' | 'isCacheable'>,
): string {
  if (era.name === 'handshake') return `{${members}}`
  const caching = isCacheable ? ',"ttlMs":0,"cacheScope":"private"' : ''
  return `{${members}${members === '' ? '' : ','}"resultType":"complete"${caching},"_meta":${server.resultMetaJson}}`
}

function replyNotAllowed(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.header('allow', 'POST')
  return sendProblem(
    { kind: 'refusal', code: 'method_not_allowed', detail: 'The endpoint accepts POST only.' },
    request,
    reply,
  )
}

function replyToError(
  server: Server,
  { error, request, reply }: Exchange & { error: FastifyError & { headers?: unknown } },
): FastifyReply {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const message = `Invalid request: the body is larger than ${server.options.bodyLimit} bytes`
    return sendJson(reply, 413, toErrorMessage(undefined, { code: rpcCodes.invalidRequest, message }))
  }
  if (error.code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') {
    return sendJson(
      reply,
      400,
      toErrorMessage(undefined, {
        code: rpcCodes.invalidRequest,
        message: 'Invalid request: wrong Content-Length',
      }),
    )
  }
  const refusal = toRefusal(error, request)
  if (refusal.code === 'unavailable' && error.statusCode !== 503)
    request.log.error({ err: error }, 'MCP request failed')
  return sendProblem(withChallenge(refusal, server, request), request, reply)
}

function toRefusal(error: FastifyError & { headers?: unknown }, request: FastifyRequest): Refusal {
  const headers = toHeaders(error.headers)
  switch (error.statusCode) {
    case 401:
      return {
        kind: 'refusal',
        code: 'unauthorized',
        detail: hasToken(request) ? 'The access token is not valid.' : 'An access token is required.',
        headers,
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
        headers: { 'retry-after': '1', ...headers },
      }
    default:
      return {
        kind: 'refusal',
        code: 'unavailable',
        detail: 'The service is not available right now.',
        headers: { 'retry-after': '5', ...headers },
      }
  }
}

// RFC 6750, 3, with RFC 9728's resource_metadata. Without a token there is no error to name, only the way in.
function withChallenge(refusal: Refusal, { options, registry }: Server, request: FastifyRequest): Refusal {
  const isStepUp = refusal.code === 'insufficient_scope'
  if (refusal.code !== 'unauthorized' && !isStepUp) return refusal
  const error = isStepUp ? 'insufficient_scope' : hasToken(request) ? 'invalid_token' : null
  const scopes = refusal.scopes ?? registry.scopes
  const parameters = [
    ...(options.resourceMetadataUrl ? [`resource_metadata="${options.resourceMetadataUrl}"`] : []),
    ...(scopes.length > 0 ? [`scope="${scopes.join(' ')}"`] : []),
    ...(error ? [`error="${error}"`] : []),
  ]
  const challenge = parameters.length > 0 ? `Bearer ${parameters.join(', ')}` : 'Bearer'
  return { ...refusal, headers: { ...refusal.headers, 'www-authenticate': challenge } }
}

function sendProblem(
  { code, detail, headers }: Refusal,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const body = toProblemJson({ code, detail, requestId: String(request.id) })
  return reply
    .code(problemTitles[code].status)
    .headers({ ...headers })
    .type('application/problem+json')
    .send(body)
}

function sendJson(reply: FastifyReply, status: number, json: string): FastifyReply {
  return reply.code(status).type('application/json; charset=utf-8').send(json)
}

function toVersionHeader(request: FastifyRequest): string | undefined {
  const header = request.headers['mcp-protocol-version']
  return Array.isArray(header) ? header.join(', ') : header
}

function hasToken(request: FastifyRequest): boolean {
  return request.headers.authorization !== undefined
}

function isHttpRefusal(error: unknown): boolean {
  return error instanceof Error && 'statusCode' in error && [401, 429, 503].includes(Number(error.statusCode))
}

function toHeaders(headers: unknown): Record<string, string> {
  if (!isObject(headers)) return {}
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  )
}
