import { rpcCodes } from '../errors.ts'
import { coversScopes } from '../lists.ts'
import { isObject } from '../message.ts'
import { type Outcome, toError } from '../outcome.ts'
import { toScopeRefusal, toToolError } from '../tools/to-result.ts'
import { confirmCall, toStates } from './confirm-call.ts'
import type { Method } from './method.ts'
import { observeCall } from './observe-call.ts'
import { reportUnreached } from './report-unreached.ts'
import { runCall, type ToolCall } from './run-call.ts'

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
    const call = { tool, args, context }
    return observeCall(call, async () => {
      if (coversScopes(caller, tool)) return callTool(call)
      reportUnreached(call, 'insufficient_scope')
      return toScopeRefusal(tool)
    })
  },
}

async function callTool(call: ToolCall): Promise<Outcome> {
  const { tool, context } = call
  const states = tool.destructive ? toStates(context) : null
  if (states) return confirmCall(call, states)
  const outcome = await runCall(call, { mode: tool.destructive ? 'check' : 'run' })
  if (outcome !== 'passed') return outcome
  const requestId = String(context.request.id)
  const detail = context.server.states === null ? nobodyAsks : clientCannotAsk
  return toToolError({ code: 'confirmation_required', detail, requestId })
}

const nobodyAsks =
  'This tool runs only after the person has confirmed it, and this server is not set up to ask. Nothing was done. ' +
  'Calling it again will not help; the person can do it elsewhere, for example over the REST API.'

const clientCannotAsk =
  'This tool runs only after the person has confirmed it, and this client cannot ask: that takes protocol version ' +
  '2026-07-28 with the elicitation capability. Nothing was done. Calling it again will not help; the person can do ' +
  'it elsewhere, for example over the REST API.'
