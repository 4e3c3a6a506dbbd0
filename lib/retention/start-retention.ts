import type { Database } from '../database/database.ts'
import type { JobsLog } from '../jobs/jobs.ts'
import { activityDays, type ConfiguredPeriods } from './periods.ts'
import { runRetention } from './run-retention.ts'

export interface RetentionOptions {
  readonly database: Database
  readonly log: JobsLog
  readonly periods: ConfiguredPeriods
  /** Milliseconds between two runs; an hour by default. */
  readonly interval?: number
  /** Milliseconds before the first one; a minute by default, so that a start is not slowed down. */
  readonly firstAfter?: number
}

export interface Retention {
  /** Ends the schedule. What runs ends with its batch. */
  stop(): Promise<void>
}

/** Purges what is past its time, again and again, in whichever worker comes first. */
export function startRetention(options: RetentionOptions): Retention {
  const { database, log, interval = 3_600_000, firstAfter = 60_000 } = options
  const periods = { ...options.periods, activityDays }
  const stopping = new AbortController()
  let running: Promise<void> | undefined

  const run = () => {
    running ??= runRetention({ database, log, periods, signal: stopping.signal })
      .catch(err => log.error({ err }, 'what is past its time could not be purged'))
      .finally(() => {
        running = undefined
      })
  }
  const first = setTimeout(run, firstAfter).unref()
  const every = setInterval(run, interval).unref()
  return {
    async stop() {
      clearTimeout(first)
      clearInterval(every)
      stopping.abort()
      await running
    },
  }
}
