import { isObject } from './message.ts'

const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/
const visible = /^[\x20-\x7e]+$/
/** Characters: what the W3C recommendations ask everybody to pass on, and no more. */
const longestState = 512
const longestBaggage = 8_192

/**
 * The trace that a request belongs to, as its client says it in `params._meta` (MCP 2026-07-28, basic, `_meta`; W3C Trace
 * Context and Baggage): headers for the request that is dispatched. Pure. What is not in the form of these three is
 * left out, so that nothing else can be said this way.
 */
export function toTraceHeaders(
  params: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, string>> {
  const meta = params?._meta
  if (!isObject(meta)) return none
  const headers: Record<string, string> = {}
  if (isText(meta.traceparent, 55) && traceparent.test(meta.traceparent)) {
    headers.traceparent = meta.traceparent
    // Nothing without its parent: Trace Context, section 3.3.
    if (isText(meta.tracestate, longestState)) headers.tracestate = meta.tracestate
  }
  if (isText(meta.baggage, longestBaggage)) headers.baggage = meta.baggage
  return headers
}

const none: Readonly<Record<string, string>> = Object.freeze({})

function isText(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value.length <= longest && visible.test(value)
}
