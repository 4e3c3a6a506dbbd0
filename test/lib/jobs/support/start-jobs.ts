import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../../../../lib/database/database.ts'
import { createJobs, type Jobs, type JobsOptions } from '../../../../lib/jobs/jobs.ts'
import { openTestDatabase, type Teardown } from '../../../app/support/open-test-database.ts'
import { seedTwoOrganizations, type TwoOrganizations } from '../../../app/support/seed-two-organizations.ts'

export interface StartedJobs {
  readonly database: Database
  readonly jobs: Jobs
  readonly people: TwoOrganizations
}

/** Nothing is logged: failures are part of these tests. */
export const silent = { info() {}, warn() {}, error() {} }

/** Times so short that a test sees a job expire and fail for good. */
export const hasty = { expireAfter: 2, superviseEvery: 1, retryLimit: 2, retryDelay: 1 } as const

/** A started queue on a database of its own with two organizations, stopped with the test. */
export async function startJobs(t: Teardown, options: Partial<JobsOptions> = {}): Promise<StartedJobs> {
  const database = await openTestDatabase(t)
  const people = await seedTwoOrganizations(database)
  const jobs = createJobs(database, { log: silent, ...hasty, ...options })
  await jobs.start()
  t.teardown(() => jobs.stop())
  return { database, jobs, people }
}

/** Asks until there is an answer other than undefined or false; throws after so many seconds. */
export async function eventually<T>(
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  seconds = 20,
): Promise<T> {
  const end = Date.now() + seconds * 1_000
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    if (Date.now() > end) throw new Error(`nothing came within ${seconds} s`)
    await delay(50)
  }
}
