import { type JobWithMetadata, PgBoss } from 'pg-boss'
import type { Database } from '../database/database.ts'
import { toBossDatabase } from './boss-database.ts'
import { readDeadLetters } from './dead-letters.ts'
import { enqueueJob } from './enqueue-job.ts'
import { installQueues } from './install-queues.ts'
import { type JobData, type JobName, jobNames, toDeadQueue } from './queues.ts'
import { releaseOrphans } from './release-orphans.ts'

// pg-boss 12 and not 10.4. Its package asks for Node 22.12, from which on `require` can load it; as a module,
// which is how it is loaded here, it runs on Node 20: the tests of crash, retry, dead letter and stop in
// test/lib/jobs pass on 20, 22 and 24, over both engines. The price is one EBADENGINE warning of `npm ci` on
// Node 20. Version 10.4 would spare that, but it settles a job by its id alone (a worker whose time is over
// completes its successor's run), does not wait for that to be stored, and keeps of a dead letter neither the
// error nor how often it was tried.

/** Where jobs write their log; the shape of pino's. */
export interface JobsLog {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** Runs a job, of which it is told where it comes from, in a span. */
export type TraceJob = (
  job: { readonly queue: string; readonly attempt: number; readonly trace?: string },
  work: () => Promise<void>,
) => Promise<void>

/** All times are in seconds. */
export interface JobsOptions {
  readonly log: JobsLog
  /** Default: jobs run in no span. */
  readonly traceJob?: TraceJob
  /** How long a job may run. After that, or when its worker was killed, it is tried again; 60 by default. */
  readonly expireAfter?: number
  /** How often such jobs are looked for; 10 by default. */
  readonly superviseEvery?: number
  /** How long an idle worker waits before it asks for a job, at least 0.5, the default. */
  readonly pollEvery?: number
  /** How many times a job is tried again before it is a dead letter; 5 by default. */
  readonly retryLimit?: number
  /** The shortest wait before the first retry; it doubles each time, with some chance in it; 2 by default. */
  readonly retryDelay?: number
  /** The longest wait before a retry; 300 by default. */
  readonly retryDelayMax?: number
  /** How long `stop` lets running jobs finish; what does not is tried again later; 20 by default. */
  readonly stopTimeout?: number
}

/** A job that failed for good. */
export interface DeadLetter {
  readonly name: JobName
  readonly data: JobData[JobName]
  /** How often it was tried. */
  readonly attempts: number
  /** The last error, for an operator's eyes. */
  readonly error: string | null
  readonly diedAt: string
}

/** A handler that rejects has its job tried again. `attempt` counts from 1. */
export type JobHandler<Name extends JobName> = (data: JobData[Name], attempt: number) => Promise<void>

export interface HandleOptions {
  /**
   * Jobs of one workspace that run at a time, in all processes together; as many as there are handlers by default.
   * Handlers that ask at the very same moment may get more, once: the queue counts those that run already.
   */
  readonly perWorkspace?: number
}

export interface Jobs {
  /** Installs or migrates the queue's own schema, then supervises. Adding jobs needs it to have run once. */
  start(): Promise<void>
  /** Takes no more jobs, lets the running ones finish, then lets go of the database, which stays open. */
  stop(): Promise<void>
  /** Adds a job in the caller's transaction: it exists if and when that commits. */
  enqueue: typeof enqueueJob
  /** Works on a queue, one job at a time per call. */
  handle<Name extends JobName>(name: Name, handler: JobHandler<Name>, options?: HandleOptions): Promise<void>
  /** Works on the jobs that failed for good; they stay readable by `deadLetters`. */
  handleDead<Name extends JobName>(name: Name, handler: JobHandler<Name>): Promise<void>
  /** Stops working on all queues; waits for the jobs that run. */
  unhandle(): Promise<void>
  /** Fails the jobs that are marked as running. Only for who knows that nobody is running them. */
  releaseOrphans(): Promise<number>
  /** The newest jobs that failed for good, at most `limit`. */
  deadLetters(limit?: number): Promise<DeadLetter[]>
  /** Whether it is started and its tables can be reached. Never rejects. */
  isReady(): Promise<boolean>
}

/** The job queue, on the same database as everything else. */
export function createJobs(database: Database, options: JobsOptions): Jobs {
  const { log } = options
  const superviseEvery = options.superviseEvery ?? 10
  const boss = new PgBoss({
    db: toBossDatabase(database.pool),
    backend: database.engine,
    superviseIntervalSeconds: superviseEvery,
    monitorIntervalSeconds: superviseEvery,
    // No schedules and no registry of processes: each would ask the database all the time for nothing.
    schedule: false,
    registerInstance: false,
    // Its report reckons with dates; this pool reads times as strings.
    monitorVacuum: false,
  })
  boss.on('error', error => log.error({ err: error }, 'the job queue reported an error'))
  boss.on('warning', warning => log.warn({ warning }, 'the job queue reported a warning'))

  const work = async <Name extends JobName>(
    queue: string,
    handler: (job: Job<Name>) => Promise<void>,
    { perWorkspace }: HandleOptions = {},
  ) => {
    const polling = {
      pollingIntervalSeconds: options.pollEvery ?? 0.5,
      includeMetadata: true as const,
      // enqueue_job makes a group of each workspace.
      ...(perWorkspace !== undefined && { groupConcurrency: perWorkspace }),
    }
    const worker: string = await boss.work(
      queue,
      polling,
      async ([job]: JobWithMetadata<JobData[Name]>[]) => {
        if (!job) return
        // Ask for the next one as soon as this one is done; only an empty queue is worth waiting for.
        boss.notifyWorker(worker)
        const { trace } = job.data
        const ran = { queue, attempt: job.retryCount + 1, ...(trace !== undefined && { trace }) }
        await (options.traceJob ? options.traceJob(ran, () => handler(job)) : handler(job))
      },
    )
  }

  let isStarted = false
  return {
    async start() {
      await boss.start()
      await installQueues(boss, { pool: database.pool, settings: toQueueSettings(options) })
      isStarted = true
    },
    async stop() {
      isStarted = false
      await boss.stop({ graceful: true, timeout: (options.stopTimeout ?? 20) * 1_000 })
    },
    enqueue: enqueueJob,
    handle: (name, handler, handleOptions) => {
      const attempt = async (job: Job<typeof name>) => {
        try {
          await handler(job.data, job.retryCount + 1)
        } catch (error) {
          log.warn({ err: error, job: name, data: job.data, attempt: job.retryCount + 1 }, 'a job failed')
          throw error
        }
      }
      return work<typeof name>(name, attempt, handleOptions)
    },
    handleDead: (name, handler) =>
      work<typeof name>(toDeadQueue(name), async job => {
        const attempts = (job.sourceRetryCount ?? 0) + 1
        log.error({ job: name, data: job.data, attempts, output: job.sourceOutput }, 'a job failed for good')
        await handler(job.data, attempts)
      }),
    async unhandle() {
      await Promise.all(jobNames.flatMap(name => [boss.offWork(name), boss.offWork(toDeadQueue(name))]))
    },
    releaseOrphans: () => releaseOrphans(database, boss),
    deadLetters: (limit = 100) => readDeadLetters(database.pool, limit),
    isReady: async () => isStarted && (await answers(boss)),
  }
}

/** What is used of pg-boss' job. */
type Job<Name extends JobName> = Pick<
  JobWithMetadata<JobData[Name]>,
  'data' | 'retryCount' | 'sourceRetryCount' | 'sourceOutput'
>

function toQueueSettings(options: JobsOptions) {
  return {
    expireInSeconds: options.expireAfter ?? 60,
    retryLimit: options.retryLimit ?? 5,
    retryDelay: options.retryDelay ?? 2,
    retryBackoff: true,
    retryDelayMax: options.retryDelayMax ?? 300,
  }
}

async function answers(boss: PgBoss): Promise<boolean> {
  try {
    return (await boss.schemaVersion()) !== null
  } catch {
    return false
  }
}
