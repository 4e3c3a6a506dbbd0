import type { Database } from '../database/database.ts'
import type { MessageLimits } from '../mail/parse-message.ts'
import { giveUpOnEmail, processEmail } from '../mail/process-email.ts'
import { observed, type WorkerObserver } from '../metrics/worker-observer.ts'
import { type PeopleWorkerOptions, startPeopleWorker } from '../people/start-people-worker.ts'
import { startErasureWorker } from '../personal-data/start-erasure-worker.ts'
import { startWebhookWorker, type WebhookWorkerOptions } from '../webhooks/start-webhook-worker.ts'
import type { Jobs, JobsLog } from './jobs.ts'

export interface WorkerOptions {
  readonly database: Database
  /** Started. */
  readonly jobs: Jobs
  readonly log: JobsLog
  /** How much of a message is read; what the parser allows unless given. */
  readonly limits?: MessageLimits
  /** How webhooks are delivered. Left out, their deliveries wait in the queue. */
  readonly webhooks?: WebhookWorkerOptions
  /** How people are mailed. Left out, what is to be mailed waits in the queue. */
  readonly people?: PeopleWorkerOptions
  /** Told of what came of the work. */
  readonly observer?: WorkerObserver
  /** Jobs at a time; 2 by default. The embedded engine, with its one connection, has 1. */
  readonly concurrency?: number
}

export interface Worker {
  /** Takes no more jobs and waits for the running ones. The jobs' owner stops them afterwards. */
  stop(): Promise<void>
}

/** Does the jobs of this product, in this process: in the demo next to the API, in production by itself. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { database, jobs, log, limits } = options
  const isEmbedded = database.engine === 'pglite'
  // Nobody else can have this database open, so that whoever was running these jobs is gone. On a server they
  // may be running on another machine, and are taken back when their time is over.
  const orphans = isEmbedded ? await jobs.releaseOrphans() : 0
  if (orphans > 0) log.info({ orphans }, 'jobs of an earlier process are done again')

  const concurrency = isEmbedded ? 1 : (options.concurrency ?? 2)
  for (let index = 0; index < concurrency; index++) {
    await jobs.handle('email.process', job =>
      observed(options.observer?.message, processEmail(database, job, limits)),
    )
  }
  await jobs.handleDead('email.process', (job, attempts) => giveUpOnEmail(database, job, attempts))
  await startErasureWorker({ database, jobs })
  const people = options.people ? await startPeopleWorker({ database, jobs }, options.people) : null
  const webhooks = options.webhooks ? await startWebhookWorker(options, options.webhooks) : null
  return {
    async stop() {
      await jobs.unhandle()
      people?.stop()
      await webhooks?.stop()
    },
  }
}
