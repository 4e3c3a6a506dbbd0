import type { AroundCall, CallReport, ObservedCall } from '../declarations.ts'
import { rpcCodes } from '../errors.ts'
import type { Ended, Outcome } from '../outcome.ts'
import type { MethodContext } from './method.ts'

/** A call of a tool that there is, by its name. */
export interface Watched {
  readonly tool: string
  readonly context: MethodContext
}

/** Runs a tool call inside the option `aroundCall`, which is told what came of it, or else writes one line to the log. */
export function observeCall(call: Watched, run: () => Promise<Outcome>): Promise<Outcome> {
  const { aroundCall } = call.context.server.options
  return aroundCall ? runAround(call, { run, aroundCall }) : runLogged(call, run)
}

async function runLogged(call: Watched, run: () => Promise<Outcome>): Promise<Outcome> {
  const startedAt = performance.now()
  let outcome: Outcome
  try {
    outcome = await run()
  } catch (error) {
    log(call, toReport(toThrown(error), startedAt))
    throw error
  }
  log(call, toReport(toEnding(outcome), startedAt))
  return outcome
}

function log(call: Watched, { outcome, code, status, isConfirmed, milliseconds }: CallReport): void {
  const { tool, client, protocolVersion } = toObserved(call)
  const report = { tool, client, protocolVersion, outcome, code, status, isConfirmed, milliseconds }
  call.context.request.log.info(report, 'tool call')
}

interface Around {
  readonly run: () => Promise<Outcome>
  readonly aroundCall: AroundCall
}

/** Whatever the option does, the call runs once and is answered. */
async function runAround(call: Watched, { run, aroundCall }: Around): Promise<Outcome> {
  const { request } = call.context
  const observed = toObserved(call)
  let ended: Promise<Outcome> | undefined
  const runOnce = async (): Promise<CallReport> => {
    const startedAt = performance.now()
    ended ??= run()
    return toReport(await ended.then(toEnding, toThrown), startedAt)
  }
  try {
    await aroundCall(observed, runOnce, request)
  } catch (err) {
    request.log.error({ err, tool: observed.tool }, 'aroundCall failed')
  }
  return await (ended ?? run())
}

function toReport({ outcome, code, status, isConfirmed }: Ending, startedAt: number): CallReport {
  return { outcome, code, status, isConfirmed, milliseconds: performance.now() - startedAt }
}

function toObserved({ tool, context }: Watched): ObservedCall {
  const { caller, era, request, trace } = context
  return {
    tool,
    caller,
    client: era.client,
    protocolVersion: era.version,
    requestId: String(request.id),
    trace,
  }
}

type Ending = Omit<CallReport, 'milliseconds'>

function toEnding(outcome: Outcome): Ending {
  const { code = null, status = null, isConfirmed = false, isLate = false } = outcome.ended ?? noEnd
  return {
    outcome: isLate ? 'late' : toReported(outcome, code),
    code: outcome.kind === 'refusal' && !isLate ? outcome.code : code,
    status,
    isConfirmed,
  }
}

const noEnd: Ended = {}

function toReported(outcome: Outcome, code: string | null): CallReport['outcome'] {
  switch (outcome.kind) {
    case 'result':
    case 'text':
    case 'page':
      return code === null ? 'ok' : 'error'
    case 'input_required':
      return 'asked'
    case 'refusal':
      return 'refused'
    case 'gone':
      return 'gone'
    case 'error':
      return outcome.error.code === rpcCodes.internalError ? 'failed' : 'invalid'
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
