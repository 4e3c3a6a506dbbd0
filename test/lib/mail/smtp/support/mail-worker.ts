import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase } from '../../../../../lib/database/open-database.ts'
import { toYieldingDatabase } from '../../../../../lib/demo/to-yielding-database.ts'
import { createJobs } from '../../../../../lib/jobs/jobs.ts'
import { startWorker } from '../../../../../lib/jobs/start-worker.ts'
import { startSmtp } from '../../../../../lib/mail/smtp/start-smtp.ts'
import { hasty, silent } from '../../../jobs/support/start-jobs.ts'

/**
 * What worker.ts does, on the embedded engine, which that one refuses: listener and worker in one process, as in the
 * demo; its webhooks wait in the queue. It says how many e-mails wait to be read twice a second, because nobody
 * else can ask its database, and stops in order when told to. Arguments: the data directory and the port.
 */
const [dataDir = '', port = ''] = process.argv.slice(2)
const database = await openDatabase({ databaseUrl: null, dataDir })
const polite = toYieldingDatabase(database)
const jobs = createJobs(database, { log: silent, ...hasty, expireAfter: 60 })
await jobs.start()
const worker = await startWorker({ database: polite, jobs, log: silent })
const smtp = {
  host: '127.0.0.1',
  port: Number(port),
  name: 'mx.inbox.test',
  maxClients: 100,
  certificate: null,
}
const listener = await startSmtp({ database: polite, log: silent, smtp, maxMessageBytes: 1_000_000 })

// Whoever started it is gone.
process.stdout.on('error', () => process.exit(1))

let isStopping = false
process.once('SIGTERM', async () => {
  isStopping = true
  await listener.close()
  await worker.stop()
  await jobs.stop()
  await database.close()
})
while (!isStopping) {
  const { rows } = await database.pool.query(
    `select count(*)::int as count from pgboss.job where name = 'email.process' and state in ('created', 'retry', 'active')`,
  )
  process.stdout.write(`unfinished ${rows[0].count}\n`)
  await delay(500)
}
