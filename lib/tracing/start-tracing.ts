import packageFile from '../../package.json' with { type: 'json' }
import type { Config } from '../config/config.ts'
import type { Log } from '../log/log.ts'
import type { Tracing } from './tracing.ts'

/** Null where no exporter is configured: then nothing of OpenTelemetry is even loaded. */
export async function startTracing(
  { tracing: { url, serviceName } }: Pick<Config, 'tracing'>,
  { role, log }: { readonly role: 'api' | 'worker' | 'demo'; readonly log: Pick<Log, 'warn'> },
): Promise<Tracing | null> {
  if (url === null) return null
  const { createTracing } = await import('./tracing.ts')
  return createTracing({
    url,
    serviceName,
    usualName: `kobana-inbox-${role}`,
    serviceVersion: packageFile.version,
    onError: error => log.warn({ reason: error?.message }, 'spans could not be exported'),
  })
}
