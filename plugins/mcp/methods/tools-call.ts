import { type FieldError, rpcCodes } from '../errors.ts'
import { isObject } from '../message.ts'
import { type Outcome, toError } from '../outcome.ts'
import type { Tool } from '../tools/describe.ts'
import { type DispatchMode, type DispatchOutcome, dispatchTool } from '../tools/dispatch.ts'
import { coversScopes } from '../tools/lists.ts'
import { type ToolRequest, toBareRequest, toRequest } from '../tools/to-request.ts'
import { toResult, toScopeRefusal, toToolError } from '../tools/to-result.ts'
import type { Method, MethodContext } from './method.ts'

/**
 * Runs one tool: existence, scope, then the route itself, which decides on permission and arguments.
 * MCP 2026-07-28, server/tools, Calling Tools.
 */
export const toolsCall: Method = {
  eras: ['modern', 'handshake'],
  isCacheable: false,
  isAvailable: ({ registry }) => registry.tools.length > 0,
  async run(context) {
    const { server, caller, params } = context
    const { name } = params
    if (typeof name !== 'string')
      return toError(rpcCodes.invalidParams, 'Invalid params: name must be a string')
    const args = params.arguments === undefined ? {} : params.arguments
    if (!isObject(args)) return toError(rpcCodes.invalidParams, 'Invalid params: arguments must be an object')
    const tool = server.registry.find(name)
    if (!tool) return toError(rpcCodes.invalidParams, `Unknown tool: ${name.slice(0, 100)}`)
    if (!coversScopes(caller, tool)) return toScopeRefusal(tool)
    return callTool(tool, args, context)
  },
}

async function callTool(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  context: MethodContext,
): Promise<Outcome> {
  const { request, era } = context
  const started = process.hrtime.bigint()
  const toolRequest = toRequest(tool, args)
  const requestId = String(request.id)
  if ('refusal' in toolRequest) return refuseArguments(tool, toolRequest.refusal, context)
  const dispatched = await dispatch(toolRequest.request, {
    tool,
    mode: tool.destructive ? 'check' : 'run',
    context,
  })
  const milliseconds = Number(process.hrtime.bigint() - started) / 1e6
  const status = dispatched.kind === 'answered' ? dispatched.response.status : dispatched.kind
  request.log.info(
    { tool: tool.name, outcome: status, milliseconds, client: era.client, protocolVersion: era.version },
    'tool call',
  )
  return toResult(dispatched, { tool, requestId, structured: era.version >= '2025-06-18' })
}

// The caller's rights come before the arguments, so the route is asked for them first.
async function refuseArguments(tool: Tool, refusal: FieldError, context: MethodContext): Promise<Outcome> {
  const admitted = await dispatch(toBareRequest(tool), { tool, mode: 'admit', context })
  const requestId = String(context.request.id)
  if (admitted.kind !== 'passed') return toResult(admitted, { tool, requestId, structured: false })
  const detail = `${refusal.message}.`
  return toToolError({ code: 'validation_failed', detail, requestId, errors: [refusal] })
}

async function dispatch(
  toolRequest: ToolRequest,
  { tool, mode, context }: { tool: Tool; mode: DispatchMode; context: MethodContext },
): Promise<DispatchOutcome> {
  const { server, era, caller, request, reply } = context
  const gone = new AbortController()
  const onClose = () => {
    if (!reply.raw.writableFinished) gone.abort()
  }
  // In 2025 a disconnect is no cancellation; in 2026-07-28 it is (streamable-http, Cancellation).
  if (era.name === 'modern') {
    // A hook may have waited, and the client left meanwhile: `close` comes once.
    if (reply.raw.destroyed) gone.abort()
    else reply.raw.once('close', onClose)
  }
  try {
    return await dispatchTool({
      fastify: server.fastify,
      tool,
      call: Object.freeze({
        caller,
        client: era.client,
        protocolVersion: era.version,
        tool: tool.name,
        requestId: String(request.id),
      }),
      toolRequest: withForwarded(toolRequest, context),
      address: request.ip,
      mode,
      deadline: tool.deadline ?? server.options.deadline,
      disconnect: gone.signal,
    })
  } finally {
    reply.raw.off('close', onClose)
  }
}

function withForwarded(toolRequest: ToolRequest, { server, request }: MethodContext): ToolRequest {
  const forwarded: Record<string, string> = {}
  for (const name of ['host', 'user-agent', ...server.options.forwardHeaders]) {
    const value = request.headers[name]
    if (typeof value === 'string') forwarded[name] = value
  }
  return { ...toolRequest, headers: { ...forwarded, ...toolRequest.headers } }
}
