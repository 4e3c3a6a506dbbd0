import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import type { TraceJob } from '../jobs/jobs.ts'
import { parseTraceParent } from './trace-parent.ts'
import type { Tracing } from './tracing.ts'

/**
 * A span for each job, in a trace of its own with a link to what asked for it: that has been answered long since.
 * OpenTelemetry's semantic conventions for messaging.
 */
export function createTraceJob({ start, within }: Tracing): TraceJob {
  return async ({ queue, attempt, trace }, work) => {
    const span = start(`process ${queue}`, {
      kind: SpanKind.CONSUMER,
      parent: null,
      links: [parseTraceParent({ traceparent: trace })],
      attributes: {
        'messaging.operation.type': 'process',
        'messaging.system': 'pg-boss',
        'messaging.destination.name': queue,
        'kobana.job.attempt': attempt,
      },
    })
    try {
      await within(span, work)
    } catch (error) {
      span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown')
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  }
}
