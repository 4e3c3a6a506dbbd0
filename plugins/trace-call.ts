import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { parseTraceParent } from '../lib/tracing/trace-parent.ts'
import type { Tracing } from '../lib/tracing/tracing.ts'
import type { CallReport, ObservedCall } from './mcp/declarations.ts'

/**
 * Runs a tool call in a span of its own: in the trace that the client names in `params._meta`, with a link to the HTTP
 * request that brought it, or else as a part of that. OpenTelemetry's semantic conventions for MCP.
 */
export async function traceCall(
  { start, within, current }: Tracing,
  { tool, protocolVersion, trace }: ObservedCall,
  run: () => Promise<CallReport>,
): Promise<CallReport> {
  const remote = parseTraceParent(trace)
  const span = start(`tools/call ${tool}`, {
    kind: SpanKind.SERVER,
    attributes: {
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': protocolVersion,
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool,
      'network.protocol.name': 'http',
    },
    ...(remote && { parent: remote, links: [current()] }),
  })
  const report = await within(span, run)
  const { outcome, code } = report
  if (outcome !== 'ok' && outcome !== 'asked') {
    // A tool error is the tool's answer; the code says which.
    span.setAttribute('error.type', outcome === 'error' ? 'tool_error' : (code ?? outcome))
    if (code !== null) span.setAttribute('kobana.problem.code', code)
    if (outcome === 'failed' || outcome === 'late') span.setStatus({ code: SpanStatusCode.ERROR })
  }
  span.end()
  return report
}
