import { type Span, SpanKind, SpanStatusCode } from '@opentelemetry/api'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { parseTraceParent } from '../lib/tracing/trace-parent.ts'
import type { Tracing } from '../lib/tracing/tracing.ts'

/** Asked all the time, and nobody wonders how long they take. */
const probes = new Set(['/health', '/ready', '/metrics'])

/**
 * A span for each request: of a server where it comes from outside, with the trace that its headers name; inside the
 * span of the tool call where /mcp dispatched it. Names and attributes are those of OpenTelemetry's semantic conventions
 * for HTTP; neither query nor header is among them.
 */
export const tracing = fp(
  async (app: FastifyInstance, { tracing: { start, within } }: { tracing: Tracing }) => {
    const spans = new WeakMap<FastifyRequest, Span>()

    app.addHook('onRequest', (request, _reply, done) => {
      const { method, routeOptions, mcp } = request
      const route = routeOptions.url
      if (route !== undefined && probes.has(route)) return done()
      const name = route === undefined ? method : `${method} ${route}`
      const attributes = {
        'http.request.method': method,
        'url.path': request.url.split('?', 1)[0] ?? '',
        'url.scheme': request.protocol,
        ...(route !== undefined && { 'http.route': route }),
      }
      const { traceparent, tracestate } = request.headers
      const span = mcp
        ? start(name, { kind: SpanKind.INTERNAL, attributes })
        : start(name, {
            kind: SpanKind.SERVER,
            attributes,
            parent: parseTraceParent({ traceparent, tracestate }),
          })
      spans.set(request, span)
      within(span, done)
    })

    // The body arrives in events of the connection, which are part of nothing.
    app.addHook('preValidation', (request, _reply, done) => {
      const span = spans.get(request)
      if (span) within(span, done)
      else done()
    })

    app.onEnding((request, { statusCode }, ending) => {
      const span = spans.get(request)
      if (!span) return
      if (ending === 'gone') span.setAttribute('kobana.request.gone', true)
      else describeAnswer(span, statusCode)
      if (ending === 'broken')
        span.setAttribute('error.type', 'broken').setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    })
  },
  { name: 'tracing', dependencies: ['endings'] },
)

function describeAnswer(span: Span, status: number): void {
  span.setAttribute('http.response.status_code', status)
  if (status >= 500) span.setAttribute('error.type', String(status)).setStatus({ code: SpanStatusCode.ERROR })
}
