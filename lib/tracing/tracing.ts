import {
  type Attributes,
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanKind,
  trace,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import { toTraceParent } from './trace-parent.ts'
import { workTrace } from './work-trace.ts'

export interface SpanStart {
  readonly kind: SpanKind
  readonly attributes: Attributes
  /** What it belongs to; what runs now unless given. Null: it begins a trace. */
  readonly parent?: Context | null
  /** What it has to do with, in other traces. */
  readonly links?: readonly (Context | null)[]
}

/** Spans of this process, exported by OTLP over HTTP. Nothing of it is global. */
export interface Tracing {
  start(name: string, options: SpanStart): Span
  /** Runs `work`, and whatever it starts, as part of the span. */
  within<T>(span: Span, work: () => T): T
  /** What runs now; null outside of any span. */
  current(): Context | null
  /** Sends what is left, for up to three seconds. */
  stop(): Promise<void>
}

export interface TracingOptions {
  /** Where spans are posted, the path included. */
  readonly url: string
  /** Null: that of OTEL_RESOURCE_ATTRIBUTES, or else `usualName`. */
  readonly serviceName: string | null
  /** Default: OpenTelemetry's own, `unknown_service:node`. */
  readonly usualName?: string
  readonly serviceVersion: string
  /** Told of exports that fail. */
  readonly onError: (error: Error | undefined) => void
}

export function createTracing({ url, onError, ...service }: TracingOptions): Tracing {
  const manager = new AsyncLocalStorageContextManager().enable()
  const exporter = withReport(new OTLPTraceExporter({ url }), onError)
  const provider = new BasicTracerProvider({
    resource: toResource(service),
    spanProcessors: [new BatchSpanProcessor(exporter, { scheduledDelayMillis: 1_000 })],
  })
  const tracer = provider.getTracer('kobana-inbox')
  const current = () => (trace.getSpan(manager.active()) ? manager.active() : null)

  return {
    start(name, { kind, attributes, parent = current(), links = [] }) {
      return tracer.startSpan(
        name,
        { kind, attributes, links: links.flatMap(toLink) },
        parent ?? ROOT_CONTEXT,
      )
    },
    within(span, work) {
      const traceparent = toTraceParent(span.spanContext())
      return manager.with(trace.setSpan(ROOT_CONTEXT, span), () => workTrace.run(traceparent, work))
    },
    current,
    async stop() {
      await Promise.race([provider.shutdown().catch(onError), wait(3_000)])
      manager.disable()
    },
  }
}

/** What is said later stands: OTEL_SERVICE_NAME over a name in OTEL_RESOURCE_ATTRIBUTES, and both over what is usual. */
function toResource({
  serviceName,
  usualName,
  serviceVersion,
}: Omit<TracingOptions, 'url' | 'onError'>): Resource {
  return defaultResource()
    .merge(resourceFromAttributes({ 'service.name': usualName, 'service.version': serviceVersion }))
    .merge(detectResources({ detectors: [envDetector] }))
    .merge(resourceFromAttributes(serviceName === null ? {} : { 'service.name': serviceName }))
}

function toLink(context: Context | null): Link[] {
  const linked = context && trace.getSpanContext(context)
  return linked ? [{ context: linked }] : []
}

function withReport(exporter: SpanExporter, onError: TracingOptions['onError']): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, result => {
        // ExportResultCode.FAILED
        if (result.code === 1) onError(result.error)
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
  }
}

function wait(milliseconds: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, milliseconds).unref())
}
