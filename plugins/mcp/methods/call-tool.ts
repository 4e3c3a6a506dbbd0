import { rpcCodes } from '../errors.ts'
import { coversScopes } from '../lists.ts'
import { isObject } from '../message.ts'
import { type Outcome, toError } from '../outcome.ts'
import type { Tool } from '../tools/describe.ts'
import { toScopeRefusal, toToolError } from '../tools/to-result.ts'
import { confirmCall, toStates } from './confirm-call.ts'
import type { MethodContext } from './method.ts'
import { observeCall } from './observe-call.ts'
import { reportUnreached } from './report-unreached.ts'
import { runCall, type ToolCall } from './run-call.ts'

/** Calls the tool of that name: existence, scope, confirmation, then the route itself, which decides on the rest. */
export function callTool(name: string, args: unknown, context: MethodContext): Outcome | Promise<Outcome> {
  const tool = context.server.registry.find(name)
  if (!tool) return toError(rpcCodes.invalidParams, `Unknown tool: ${name.slice(0, 100)}`)
  return observeCall({ tool: name, context }, () => callFound(tool, args, context))
}

async function callFound(tool: Tool, args: unknown, context: MethodContext): Promise<Outcome> {
  const call: ToolCall = { tool, args: isObject(args) ? args : {}, context }
  if (!isObject(args)) {
    reportUnreached(call, 'invalid_params')
    return toNoArguments()
  }
  if (!coversScopes(context.caller, tool)) {
    reportUnreached(call, 'insufficient_scope')
    return toScopeRefusal(tool)
  }
  const states = tool.destructive ? toStates(context) : null
  // Not `return` alone: handing a promise on from an async function takes three turns of its queue instead of one.
  if (states) return await confirmCall(call, states)
  const outcome = await runCall(call, { mode: tool.destructive ? 'check' : 'run' })
  if (outcome !== 'passed') return outcome
  reportUnreached(call, 'confirmation_required')
  const requestId = String(context.request.id)
  const detail = context.server.states === null ? nobodyAsks : clientCannotAsk
  return toToolError({ code: 'confirmation_required', detail, requestId })
}

/** What answers arguments that are no object. */
export function toNoArguments(): Outcome {
  return toError(rpcCodes.invalidParams, 'Invalid params: arguments must be an object')
}

const nobodyAsks =
  'This tool runs only after the person has confirmed it, and this server is not set up to ask. Nothing was done. ' +
  'Calling it again will not help; the person can do it elsewhere, for example over the REST API.'

const clientCannotAsk =
  'This tool runs only after the person has confirmed it, and this client cannot ask: that takes protocol version ' +
  '2026-07-28 with the elicitation capability. Nothing was done. Calling it again will not help; the person can do ' +
  'it elsewhere, for example over the REST API.'
