import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { JobsLog } from '../jobs/jobs.ts'
import type { Metrics } from './metrics.ts'

/** What a process counts, and how that is read. */
export interface Telling {
  /** Left out where nobody has asked for them. */
  readonly metrics?: Metrics
  stop(): Promise<void>
}

/** Begins to count, and listens on METRICS_PORT, where the configuration says so; else costs nothing, memory included. */
export async function startTelling(
  { metrics: config }: Pick<Config, 'metrics'>,
  { database, log }: { readonly database: Database; readonly log: Pick<JobsLog, 'info'> },
): Promise<Telling> {
  const { port, token } = config
  if (port === null && token === null) return { stop: async () => {} }
  const [{ createMetrics }, { watchDatabase }, { startMetricsListener }] = await Promise.all([
    import('./metrics.ts'),
    import('./watch-database.ts'),
    import('./start-metrics-listener.ts'),
  ])
  const metrics = createMetrics()
  watchDatabase(metrics.registry, database)
  const listener = port === null ? null : await startMetricsListener(metrics, { ...config, port })
  if (listener) log.info({ metrics: `${config.host}:${listener.port}` }, 'metrics can be read')
  return {
    metrics,
    async stop() {
      await listener?.close()
    },
  }
}
