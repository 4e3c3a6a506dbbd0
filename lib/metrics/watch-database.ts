import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../database/database.ts'
import { jobNames, toDeadQueue } from '../jobs/queues.ts'

/** Milliseconds for which an answer of the queue is good: several who scrape ask once. */
const goodFor = 5_000

interface QueueState {
  readonly name: string
  readonly waiting: number
  readonly oldest: number
}

/**
 * The pool of this process, and the queues, which all processes share: any one of them tells all of it. While the
 * database is away there is nothing to tell of the queues, and the rest is told all the same.
 */
export function watchDatabase(registry: Registry, { pool }: Database): void {
  const registers = [registry]
  new Gauge({
    name: 'kobana_database_connections',
    help: 'Connections of this process, in use or idle.',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'idle' }, pool.idleCount)
      this.set({ state: 'in_use' }, pool.totalCount - pool.idleCount)
    },
  })
  new Gauge({
    name: 'kobana_database_waiting',
    help: 'Who in this process waits for a connection.',
    registers,
    collect() {
      this.set(pool.waitingCount)
    },
  })
  const readQueues = remember(() => queryQueues(pool))
  const isDead = new Set(jobNames.map(toDeadQueue))
  const tell = (gauge: Gauge<'queue'>, value: (state: QueueState) => number | null) =>
    readQueues().then(states => {
      gauge.reset()
      for (const state of states) {
        const told = value(state)
        if (told !== null) gauge.set({ queue: state.name }, told)
      }
    })
  new Gauge({
    name: 'kobana_queue_jobs',
    help: 'Jobs that wait to be done, those of later included.',
    labelNames: ['queue'],
    registers,
    collect() {
      return tell(this, state => (isDead.has(state.name) ? null : state.waiting))
    },
  })
  new Gauge({
    name: 'kobana_queue_oldest_seconds',
    help: 'How long the oldest job has been due.',
    labelNames: ['queue'],
    registers,
    collect() {
      return tell(this, state => (isDead.has(state.name) ? null : state.oldest))
    },
  })
  new Gauge({
    name: 'kobana_dead_jobs',
    help: 'Jobs that failed for good in the last 30 days.',
    labelNames: ['queue'],
    registers,
    collect() {
      return tell(this, state => (isDead.has(state.name) ? state.waiting : null))
    },
  })
}

/** The same answer for all who ask within a while. */
function remember(read: () => Promise<readonly QueueState[]>): () => Promise<readonly QueueState[]> {
  let answer: Promise<readonly QueueState[]> = Promise.resolve([])
  let readAt = Number.NEGATIVE_INFINITY
  return () => {
    if (performance.now() - readAt > goodFor) {
      readAt = performance.now()
      answer = read().catch(() => [])
    }
    return answer
  }
}

/** As the owner: how much waits is nobody's data. A dead letter counts from the moment that its job failed. */
async function queryQueues(pool: Database['pool']): Promise<readonly QueueState[]> {
  const { rows } = await pool.query<QueueState>(
    `select queue.name,
      count(job.id)::int as waiting,
      coalesce(extract(epoch from now() - min(greatest(job.start_after, job.created_on))
        filter (where job.start_after <= now())), 0)::float8 as oldest
    from unnest($1::text[]) as queue(name)
    left join pgboss.job on job.name = queue.name
      and (job.state < 'active' or queue.name = any($2::text[]))
    group by queue.name`,
    [jobNames.flatMap(name => [name, toDeadQueue(name)]), jobNames.map(toDeadQueue)],
  )
  return rows
}
