import { resealAuthorization } from './lib/authorization/reseal-authorization.ts'
import { type Config, parseConfig } from './lib/config/config.ts'
import type { Database } from './lib/database/database.ts'
import { openDatabase } from './lib/database/open-database.ts'
import { loadSigningKey } from './lib/identity/signing-key.ts'
import { createJobs, type TraceJob } from './lib/jobs/jobs.ts'
import { startWorker } from './lib/jobs/start-worker.ts'
import { createLog, type Log } from './lib/log/log.ts'
import { messageLimits } from './lib/mail/parse-message.ts'
import { type SmtpListener, startSmtp } from './lib/mail/smtp/start-smtp.ts'
import { longestTrace } from './lib/mail/smtp/trace-fields.ts'
import { startTelling } from './lib/metrics/start-telling.ts'
import { createWorkerObserver } from './lib/metrics/worker-observer.ts'
import { onceStopped } from './lib/process/once-stopped.ts'
import { startRetention } from './lib/retention/start-retention.ts'
import { deriveSecretsKey } from './lib/secrets/derive-secrets-key.ts'
import { createSecretBox } from './lib/secrets/secret-box.ts'
import { startTracing } from './lib/tracing/start-tracing.ts'
import type { Tracing } from './lib/tracing/tracing.ts'

try {
  await work()
} catch (error) {
  // What is missing or wrong is the operator's to read, without a stack of ours around it.
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

/** The worker in production: configuration, database, queue, jobs, and all of it back again. No Fastify. */
async function work(): Promise<void> {
  // Production unless it is said otherwise: a server that somebody forgot to configure must not start as a
  // demo.
  const config = parseConfig({ NODE_ENV: 'production', ...process.env })
  requireServer(config)
  const log = createLog(config.logLevel)
  const database = await openDatabase(config, { onError: err => log.error({ err }, 'database') })
  const tracing = await startTracing(config, { role: 'worker', log })
  const jobs = createJobs(database, { log, ...(tracing && { traceJob: await loadTraceJob(tracing) }) })
  const telling = await startTelling(config, { database, log }).catch(async error => {
    await database.close()
    throw error
  })
  const observer = telling.metrics && createWorkerObserver(telling.metrics)
  try {
    await jobs.start()
    const limits = { ...messageLimits, maxBytes: config.maxMessageBytes + longestTrace }
    const secretsKeys = config.secretsKeys ?? [deriveSecretsKey(await loadSigningKey(config.dataDir))]
    await resealAuthorization(database, createSecretBox(secretsKeys))
    const webhooks = { secretsKeys, allowPrivate: config.webhookAllowPrivate }
    const { mail, publicUrl } = config
    const people = mail && { people: { ...mail, publicUrl } }
    await startWorker({ database, jobs, log, limits, webhooks, ...people, ...(observer && { observer }) })
    const smtp = await receiveMail(config, { database, log, ...(observer && { onReply: observer.mail }) })
    const retention = startRetention({ database, log, periods: config.retention })
    log.info({ smtp: smtp && `${config.smtp.host}:${smtp.port}` }, 'the worker is ready')
    onceStopped(async signal => {
      log.info({ signal }, 'stopping: no new jobs and no new mail, what is under way is finished')
      await Promise.all([smtp?.close(), jobs.stop(), retention.stop()])
      await Promise.all([telling.stop(), tracing?.stop()])
      await database.close()
    })
  } catch (error) {
    await jobs.stop()
    await Promise.all([telling.stop(), tracing?.stop()])
    await database.close()
    throw error
  }
}

/** Loaded where it is used, as everything of OpenTelemetry is. */
async function loadTraceJob(tracing: Tracing): Promise<TraceJob> {
  const { createTraceJob } = await import('./lib/tracing/trace-job.ts')
  return createTraceJob(tracing)
}

/** The embedded database takes one process: the demo's, which has a worker inside. */
function requireServer({ databaseUrl }: Config): void {
  if (databaseUrl === null) throw new Error('The worker needs a PostgreSQL server: DATABASE_URL is not set.')
}

/** Null where the configuration has no port for it: then mail comes by another worker, or over REST. */
async function receiveMail(
  { smtp, maxMessageBytes }: Config,
  services: { database: Database; log: Log; onReply?: (code: number) => void },
): Promise<SmtpListener | null> {
  const { port } = smtp
  return port === null ? null : startSmtp({ ...services, smtp: { ...smtp, port }, maxMessageBytes })
}
