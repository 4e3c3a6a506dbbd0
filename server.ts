import { buildApp } from './app.ts'
import { parseConfig } from './lib/config/config.ts'
import { openDatabase } from './lib/database/open-database.ts'
import { loadSigningKey } from './lib/identity/signing-key.ts'
import { createJobs } from './lib/jobs/jobs.ts'
import { createLog } from './lib/log/log.ts'

/** Milliseconds that a stop may take before the process ends all the same. */
const patience = 30_000

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
  const config = parseConfig({ NODE_ENV: 'production', ...process.env })
  const log = createLog(config.logLevel)
  const database = await openDatabase(config, { onError: err => log.error({ err }, 'database') })
  const jobs = createJobs(database, { log })
  const publicKey = config.authPublicKey ?? (await loadSigningKey(config.dataDir)).publicKey

  let isStopping = false
  const release = async () => {
    await jobs.stop()
    await database.close()
  }
  try {
    await jobs.start()
    const app = await buildApp({ config, database, jobs, publicKey, log })
    app.readiness.push({ name: 'server', isReady: async () => !isStopping })
    await app.listen({ host: config.host, port: config.port })
    onceStopped(async signal => {
      log.info({ signal }, 'stopping: no new connections, requests under way are finished')
      isStopping = true
      await app.close()
      await release()
    })
  } catch (error) {
    await release()
    throw error
  }
}

/** The first signal stops in order; a second one, or too long a stop, ends the process as it is. */
function onceStopped(stop: (signal: string) => Promise<void>): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      setTimeout(() => process.exit(1), patience).unref()
      stop(signal).catch(error => {
        console.error(error)
        process.exit(1)
      })
    })
  }
}
