import type { FastifyInstance, FastifyRequest } from 'fastify'
import { findMembership } from '../lib/identity/permissions.ts'
import type { Metrics } from '../lib/metrics/metrics.ts'
import type { AroundCall, CallReport, ObservedCall } from './mcp/declarations.ts'

/** What else sees the calls, where it is configured. */
export interface CallWatchers {
  readonly metrics: Metrics | null
  /** Runs a call in a span. */
  readonly traceCall: ((call: ObservedCall, run: () => Promise<CallReport>) => Promise<CallReport>) | null
}

/** One line of the log for each tool call, and its counters. Never its arguments, nor what it answered. */
export function createAroundCall(app: FastifyInstance, { metrics, traceCall }: CallWatchers): AroundCall {
  return async (call, run, request) => {
    const report = traceCall ? await traceCall(call, run) : await run()
    const { tool, client, protocolVersion, caller } = call
    const workspaceId = toWorkspace(app, call, request)
    request.log.info(
      { tool, ...report, client, clientId: caller.clientId, workspaceId, protocolVersion },
      'tool call',
    )
    if (metrics) count(metrics, tool, report)
  }
}

function count(
  metrics: Metrics,
  tool: string,
  { outcome, code, isConfirmed, milliseconds }: CallReport,
): void {
  metrics.toolCalls.inc({ tool, outcome, code: code ?? '' })
  metrics.toolSeconds.observe({ tool }, milliseconds / 1_000)
  const step = toStep(outcome, code, isConfirmed)
  if (step) metrics.confirmations.inc({ tool, step })
}

function toStep(outcome: CallReport['outcome'], code: string | null, isConfirmed: boolean): string | null {
  if (outcome === 'asked') return 'asked'
  if (code === 'confirmation_declined') return 'declined'
  return isConfirmed ? 'accepted' : null
}

/** As the client names it, which may be another's: what is not theirs is not written down. */
function toWorkspace(
  app: FastifyInstance,
  { caller: { principal } }: ObservedCall,
  request: FastifyRequest,
): string | null {
  if (!principal) return null
  return findMembership(principal, app.workspaceOf(principal, request))?.workspaceId ?? null
}
