import { type AppOptions, buildApp } from './app.ts'
import { type Config, parseConfig } from './lib/config/config.ts'
import { openDatabase } from './lib/database/open-database.ts'
import { deriveConfirmationKey } from './lib/identity/confirmation-key.ts'
import { loadSigningKey } from './lib/identity/signing-key.ts'
import { createJobs } from './lib/jobs/jobs.ts'
import { createLog } from './lib/log/log.ts'
import { startTelling } from './lib/metrics/start-telling.ts'
import { onceStopped } from './lib/process/once-stopped.ts'
import { deriveSecretsKey } from './lib/secrets/derive-secrets-key.ts'
import { startTracing } from './lib/tracing/start-tracing.ts'

try {
  await serve()
} catch (error) {
  // What is missing or wrong is the operator's to read, without a stack of ours around it.
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

/** The API and /mcp in production: configuration, database, queue, application, and all of it back again. */
async function serve(): Promise<void> {
  // Production unless it is said otherwise: a server that somebody forgot to configure must not start as a demo.
  const wanted = parseConfig({ NODE_ENV: 'production', ...process.env })
  const log = createLog(wanted.logLevel)
  const database = await openDatabase(wanted, { onError: err => log.error({ err }, 'database') })
  const jobs = createJobs(database, { log })
  const keys = await withKeys(wanted)
  const { config } = keys

  const telling = await startTelling(config, { database, log }).catch(async error => {
    await database.close()
    throw error
  })
  const tracing = await startTracing(config, { role: 'api', log })
  const release = async () => {
    await jobs.stop()
    await Promise.all([telling.stop(), tracing?.stop()])
    await database.close()
  }
  try {
    await jobs.start()
    const app = await buildApp({ ...keys, ...telling, ...(tracing && { tracing }), database, jobs, log })
    await app.listen({ host: config.host, port: config.port })
    onceStopped(
      async signal => {
        log.info({ signal }, 'stopping: not ready any more, requests under way are finished')
        await app.drain(config.shutdownDelay)
        await app.close()
        await release()
      },
      { after: config.shutdownDelay },
    )
  } catch (error) {
    await release()
    throw error
  }
}

/** Outside production what is not configured comes from the demo's key. */
async function withKeys(config: Config): Promise<Pick<AppOptions, 'config' | 'publicKey' | 'signingKey'>> {
  const { authPublicKey, authJwks, confirmationKeys, secretsKeys } = config
  const hasIssuer = authPublicKey !== null || authJwks !== null || config.mode === 'production'
  const isComplete = hasIssuer && confirmationKeys !== null && secretsKeys !== null
  if (isComplete) return { config, ...(authPublicKey !== null && { publicKey: authPublicKey }) }
  const key = await loadSigningKey(config.dataDir)
  return {
    config: {
      ...config,
      confirmationKeys: confirmationKeys ?? [deriveConfirmationKey(key)],
      secretsKeys: secretsKeys ?? [deriveSecretsKey(key)],
    },
    publicKey: authPublicKey ?? key.publicKey,
    signingKey: key.privateKey,
  }
}
