import type { CallReport, ObservedCall } from '../declarations.ts'
import { rpcCodes } from '../errors.ts'
import type { Outcome } from '../outcome.ts'
import type { ToolCall } from './run-call.ts'

/**
 * Runs a tool call inside the option `aroundCall`, which is told what came of it, or else writes one line to the log.
 * Whatever the option does, the call runs once and is answered.
 */
export async function observeCall(call: ToolCall, run: () => Promise<Outcome>): Promise<Outcome> {
  const { server, request } = call.context
  const { aroundCall } = server.options
  const observed = toObserved(call)
  let ended: Promise<Outcome> | undefined
  const runOnce = async (): Promise<CallReport> => {
    const startedAt = performance.now()
    ended ??= run()
    const ending = await ended.then(toEnding, toThrown)
    return { ...ending, milliseconds: performance.now() - startedAt }
  }
  if (!aroundCall) {
    const { tool, client, protocolVersion } = observed
    request.log.info({ tool, client, protocolVersion, ...(await runOnce()) }, 'tool call')
  } else {
    try {
      await aroundCall(observed, runOnce, request)
    } catch (err) {
      request.log.error({ err, tool: observed.tool }, 'aroundCall failed')
    }
  }
  return await (ended ?? run())
}

function toObserved({ tool, context }: ToolCall): ObservedCall {
  const { caller, era, request, trace } = context
  return {
    tool: tool.name,
    caller,
    client: era.client,
    protocolVersion: era.version,
    requestId: String(request.id),
    trace,
  }
}

type Ending = Omit<CallReport, 'milliseconds'>

function toEnding(outcome: Outcome): Ending {
  const { code = null, status = null, isConfirmed = false, isLate = false } = outcome.ended ?? {}
  const more = { code, status, isConfirmed }
  if (isLate) return { outcome: 'late', ...more }
  switch (outcome.kind) {
    case 'result':
    case 'page':
      return { outcome: code === null ? 'ok' : 'error', ...more }
    case 'input_required':
      return { outcome: 'asked', ...more }
    case 'refusal':
      return { outcome: 'refused', ...more, code: outcome.code }
    case 'gone':
      return { outcome: 'gone', ...more }
    case 'error': {
      const isFailure = outcome.error.code === rpcCodes.internalError
      return { outcome: isFailure ? 'failed' : 'invalid', ...more }
    }
  }
}

/** A refusal that a hook of the application threw, or a mistake. */
function toThrown(error: unknown): Ending {
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : null
  return {
    outcome: status === null || status === 500 ? 'failed' : 'refused',
    code: null,
    status,
    isConfirmed: false,
  }
}
