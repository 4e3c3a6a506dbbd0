import { rpcCodes } from '../errors.ts'
import { coversScopes } from '../lists.ts'
import { type Outcome, toError } from '../outcome.ts'
import { toScopeRefusal, toToolError } from '../tools/to-result.ts'
import { confirmCall, toStates } from './confirm-call.ts'
import type { MethodContext } from './method.ts'
import { observeCall } from './observe-call.ts'
import { reportUnreached } from './report-unreached.ts'
import { runCall, type ToolCall } from './run-call.ts'

/** Calls the tool of that name: existence, scope, confirmation, then the route itself, which decides on the rest. */
export async function callTool(
  name: string,
  args: Readonly<Record<string, unknown>>,
  context: MethodContext,
): Promise<Outcome> {
  const tool = context.server.registry.find(name)
  if (!tool) return toError(rpcCodes.invalidParams, `Unknown tool: ${name.slice(0, 100)}`)
  const call = { tool, args, context }
  return observeCall(call, async () => {
    if (coversScopes(context.caller, tool)) return callCovered(call)
    reportUnreached(call, 'insufficient_scope')
    return toScopeRefusal(tool)
  })
}

async function callCovered(call: ToolCall): Promise<Outcome> {
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
