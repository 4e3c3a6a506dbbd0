import {
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  type SpanContext,
  TraceFlags,
  trace,
} from '@opentelemetry/api'

const form = /^(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})/

/** Headers, or what carries the same names: W3C Trace Context. */
export interface TraceCarrier {
  readonly traceparent?: string | string[] | undefined
  readonly tracestate?: string | string[] | undefined
}

/** The context that a caller sent; null where there is none, or none in its form. */
export function parseTraceParent({ traceparent, tracestate }: TraceCarrier): Context | null {
  const [, traceId, spanId, flags] = typeof traceparent === 'string' ? (form.exec(traceparent) ?? []) : []
  if (traceId === undefined || spanId === undefined || flags === undefined) return null
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    isRemote: true,
    ...(typeof tracestate === 'string' && { traceState: createTraceState(tracestate.slice(0, 512)) }),
  })
}

export function toTraceParent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}
