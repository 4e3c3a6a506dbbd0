import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'

/** Seconds: from what a cached answer takes to what a deadline allows. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/**
 * What one process counts, in a registry of its own. Every label has few values, all of them ours: a route's pattern and
 * never its URL, a tool's name once it is known to be one.
 */
export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    httpSeconds: new Histogram({
      name: 'kobana_http_request_duration_seconds',
      help: 'Requests by route pattern and class of status; gone: those whose client left before the answer.',
      labelNames: ['method', 'route', 'status'],
      buckets,
      registers,
    }),
    toolCalls: new Counter({
      name: 'kobana_mcp_tool_calls_total',
      help: 'Calls of tools that exist, by outcome; error and refused with the code of the problem.',
      labelNames: ['tool', 'outcome', 'code'],
      registers,
    }),
    toolSeconds: new Histogram({
      name: 'kobana_mcp_tool_call_duration_seconds',
      help: 'How long calls of tools took.',
      labelNames: ['tool'],
      buckets,
      registers,
    }),
    confirmations: new Counter({
      name: 'kobana_mcp_confirmations_total',
      help: 'Questions that were asked, and what came back: accepted or declined.',
      labelNames: ['tool', 'step'],
      registers,
    }),
    messages: new Counter({
      name: 'kobana_messages_total',
      help: 'Messages that were read, by what they turned out to be; retry: to be tried again.',
      labelNames: ['outcome'],
      registers,
    }),
    deliveries: new Counter({
      name: 'kobana_webhook_attempts_total',
      help: 'Attempts at webhook deliveries, by what came of them.',
      labelNames: ['outcome'],
      registers,
    }),
    mail: new Counter({
      name: 'kobana_smtp_messages_total',
      help: 'Messages that came by SMTP, by the class of the reply.',
      labelNames: ['reply'],
      registers,
    }),
  }
}

/** `2xx` and so on. */
export function toStatusClass(status: number): string {
  return `${Math.floor(status / 100)}xx`
}
