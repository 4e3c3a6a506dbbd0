import { CommandFailure } from '../commands/command-failure.ts'
import { openOrFail } from '../commands/open-or-fail.ts'
import { parseOrFail } from '../commands/parse-or-fail.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { deriveConfirmationKey } from '../identity/confirmation-key.ts'
import { allScopes } from '../identity/scopes.ts'
import { loadSigningKey, type SigningKey } from '../identity/signing-key.ts'
import { createTokenSigner, toAudiences } from '../identity/tokens.ts'
import { createJobs, type Jobs } from '../jobs/jobs.ts'
import { startWorker } from '../jobs/start-worker.ts'
import { createLog, type Log } from '../log/log.ts'
import { messageLimits } from '../mail/parse-message.ts'
import { longestTrace } from '../mail/smtp/trace-fields.ts'
import { startRetention } from '../retention/start-retention.ts'
import { deriveSecretsKey } from '../secrets/derive-secrets-key.ts'
import { createSecretBox } from '../secrets/secret-box.ts'
import { startWebhookWorker } from '../webhooks/start-webhook-worker.ts'
import { writeDemoServer } from './demo-files.ts'
import { deriveDemoPassword } from './demo-password.ts'
import { demoRows, toWorkspaceId } from './demo-rows.ts'
import { toDemoSummary } from './demo-summary.ts'
import { findPort, metricsNames, smtpNames } from './find-port.ts'
import { receiveDemoMail } from './receive-demo-mail.ts'
import { seedDemo } from './seed-demo.ts'
import { startDemoReceiver } from './start-demo-receiver.ts'
import { toYieldingDatabase } from './to-yielding-database.ts'
import { type DemoWatch, watchDemo } from './watch-demo.ts'

/** The application, as far as the demo has to do with it. */
export interface DemoApp {
  readonly readiness: { name: string; isReady(): Promise<boolean> }[]
  listen(address: { host: string; port: number }): Promise<unknown>
  close(): Promise<unknown>
}

export interface DemoOptions {
  readonly env: NodeJS.ProcessEnv
  readonly buildApp: (
    services: DemoWatch['app'] & {
      config: Config
      database: Database
      jobs: Jobs
      publicKey: string
      signingKey: string
      log: Log
    },
  ) => Promise<DemoApp>
  readonly print: (text: string) => void
  /** Ends the demo in order, at any moment. */
  readonly signal: AbortSignal
}

/**
 * API, MCP and worker in this process, with the demo's data, until the signal comes. What was opened is closed
 * again, the last first, however it ends. Throws a CommandFailure for what whoever started it can mend.
 */
export async function runDemo(options: DemoOptions): Promise<void> {
  const closers: (() => Promise<unknown>)[] = []
  try {
    await start(options, closer => closers.unshift(closer))
    await aborted(options.signal)
  } catch (error) {
    if (!options.signal.aborted) throw error
  } finally {
    await closeAll(closers)
  }
}

// One that cannot be closed does not keep the others open.
async function closeAll(closers: readonly (() => Promise<unknown>)[]): Promise<void> {
  const faults: unknown[] = []
  for (const close of closers) await close().catch(error => faults.push(error))
  if (faults.length > 0) throw faults[0]
}

async function start(
  { env, buildApp, print, signal }: DemoOptions,
  onClose: (closer: () => Promise<unknown>) => void,
): Promise<void> {
  const config = await readConfig(env)
  const log = createLog(config.logLevel)
  const database = await openOrFail(config, { onError: err => log.error({ err }, 'database') })
  onClose(() => database.close())
  const key = await loadSigningKey(config.dataDir)
  const confirmationKeys = config.confirmationKeys ?? [deriveConfirmationKey(key)]
  const secretsKeys = config.secretsKeys ?? [deriveSecretsKey(key)]
  const watch = await watchDemo(config, { database, log })
  onClose(() => watch.stop())
  const jobs = createJobs(database, { log, ...watch.jobs })
  await jobs.start()
  onClose(() => jobs.stop())
  // Those of a demo that was killed. Should another one be running them, they run twice, to the same end.
  await jobs.releaseOrphans()

  let isSeeded = false
  const app = await buildApp({
    config: { ...config, confirmationKeys, secretsKeys },
    database,
    jobs,
    publicKey: key.publicKey,
    signingKey: key.privateKey,
    log,
    ...watch.app,
  })
  onClose(() => app.close())
  app.readiness.push({ name: 'demo', isReady: async () => isSeeded && !signal.aborted })
  await app.listen({ host: config.host, port: config.port })
  await writeDemoServer(config.dataDir, { publicUrl: config.publicUrl, issuer: config.authIssuer })

  const polite = toYieldingDatabase(database)
  const { smtp, maxMessageBytes, webhookAllowPrivate: allowPrivate } = config
  const limits = { ...messageLimits, maxBytes: maxMessageBytes + longestTrace }
  const receiver = await startDemoReceiver({ allowPrivate })
  onClose(() => receiver.close())
  const people = config.mail && { people: { ...config.mail, publicUrl: config.publicUrl } }
  const worker = await startWorker({ database: polite, jobs, log, limits, ...people, ...watch.worker })
  onClose(() => worker.stop())
  await seedDemo({
    database: polite,
    dataDir: config.dataDir,
    secretBox: createSecretBox(secretsKeys),
    signingKey: key,
    startDeliveries: async () => {
      const { dispatcher } = receiver
      const options = { secretsKeys, allowPrivate, dispatcher, concurrency: 2 }
      await startWebhookWorker({ database: polite, jobs, log, ...watch.worker }, options)
    },
    print,
    signal,
  })
  const { observer } = watch.worker
  const onReply = observer && { onReply: observer.mail }
  const mail = await receiveDemoMail({ database: polite, log, smtp, maxMessageBytes, ...onReply })
  onClose(() => mail.close())
  const retention = startRetention({ database: polite, log, periods: config.retention })
  onClose(() => retention.stop())
  isSeeded = true
  print(toSummary(config, key, mail.port))
}

async function readConfig(env: NodeJS.ProcessEnv): Promise<Config> {
  if (env.NODE_ENV === 'production') {
    throw new CommandFailure('The demo is not for production: it signs its own tokens. Unset NODE_ENV.')
  }
  // Quieter than a server unless told otherwise; an empty variable counts as absent.
  const quiet = { ...env, LOG_LEVEL: env.LOG_LEVEL || 'warn' }
  const wanted = parseOrFail(quiet)
  const { smtp, metrics } = wanted
  // Said before anything is opened; where the port is not asked for, another one will do.
  if (smtp.port !== null) await findPort(smtp.host, smtp.port, smtpNames)
  const ports = {
    PORT: await findPort(wanted.host, wanted.port),
    ...(metrics.port !== null && { METRICS_PORT: await findPort(metrics.host, metrics.port, metricsNames) }),
  }
  return parseOrFail({
    ...quiet,
    ...Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)])),
  })
}

function toSummary(config: Config, key: SigningKey, smtpPort: number): string {
  const [ana] = demoRows.users
  if (!ana) throw new Error('The demo has no people')
  const token = createTokenSigner(key.privateKey)({
    issuer: config.authIssuer,
    audience: toAudiences(config.publicUrl).mcp,
    userId: ana.id,
    clientId: 'demo',
    scopes: allScopes,
    lifetime: 12 * 3_600,
  })
  return toDemoSummary({
    publicUrl: config.publicUrl,
    smtp: `${config.smtp.host}:${smtpPort}`,
    metrics:
      config.metrics.port === null ? null : `http://${config.metrics.host}:${config.metrics.port}/metrics`,
    dataDir: config.dataDir === '.data' ? null : config.dataDir,
    token,
    user: ana.email,
    password: deriveDemoPassword(key),
    workspaceId: toWorkspaceId('Billing'),
  })
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
