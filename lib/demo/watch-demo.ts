import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { TraceJob } from '../jobs/jobs.ts'
import type { Log } from '../log/log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { startTelling } from '../metrics/start-telling.ts'
import { createWorkerObserver, type WorkerObserver } from '../metrics/worker-observer.ts'
import { startTracing } from '../tracing/start-tracing.ts'
import type { Tracing } from '../tracing/tracing.ts'

/** What sees the demo run, each where the environment asks for it. */
export interface DemoWatch {
  /** For the application. */
  readonly app: { readonly metrics?: Metrics; readonly tracing?: Tracing }
  /** For the queue. */
  readonly jobs: { readonly traceJob?: TraceJob }
  /** For the worker. */
  readonly worker: { readonly observer?: WorkerObserver }
  stop(): Promise<void>
}

/** Metrics and spans, as a server and a worker have them, of both in one process. */
export async function watchDemo(
  config: Config,
  { database, log }: { readonly database: Database; readonly log: Log },
): Promise<DemoWatch> {
  const { metrics, stop } = await startTelling(config, { database, log })
  const tracing = await startTracing(config, { role: 'demo', log })
  return {
    app: { ...(metrics && { metrics }), ...(tracing && { tracing }) },
    jobs: tracing ? { traceJob: await loadTraceJob(tracing) } : {},
    worker: metrics ? { observer: createWorkerObserver(metrics) } : {},
    async stop() {
      await Promise.all([stop(), tracing?.stop()])
    },
  }
}

/** Loaded where it is used, as everything of OpenTelemetry is. */
async function loadTraceJob(tracing: Tracing): Promise<TraceJob> {
  const { createTraceJob } = await import('../tracing/trace-job.ts')
  return createTraceJob(tracing)
}
