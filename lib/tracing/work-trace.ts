import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * The `traceparent` of what runs now, for what it leaves to be done later: a job carries it, and the worker's span links
 * to it. Empty unless spans are exported. Apart from OpenTelemetry, which is not loaded without an exporter.
 */
export const workTrace = new AsyncLocalStorage<string>()
