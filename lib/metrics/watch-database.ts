import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../database/database.ts'
import { jobNames, toDeadQueue } from '../jobs/queues.ts'

/** Milliseconds for which an answer of the queue is good: several who scrape ask once. */
const goodFor = 5_000
/** Milliseconds that a scrape waits for it. */
const patience = 1_000

interface QueueState {
  readonly name: string
  readonly waiting: number
  readonly oldest: number
}

/**
 * The pool of this process, and the queues, which all processes share: any one of them tells all of it. The queues are
 * read beside the pool, since what exhausts it may be what has them grow. Where they cannot be read in time, their
 * figures are left out: old ones would keep an alarm silent. The rest is told all the same.
 */
export function watchDatabase(registry: Registry, database: Database): void {
  const { pool } = database
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
  const readQueues = remember(() => queryQueues(database))
  const isDead = new Set(jobNames.map(toDeadQueue))
  const tell = (gauge: Gauge<'queue'>, value: (state: QueueState) => number | null) =>
    readQueues().then(states => {
      gauge.reset()
      for (const state of states ?? []) {
        const told = value(state)
        if (told !== null) gauge.set({ queue: state.name }, told)
      }
    })
  new Gauge({
    name: 'kobana_queues_readable',
    help: '1 where the queues could be read for this answer; 0 where their figures are left out.',
    registers,
    async collect() {
      this.set((await readQueues()) === null ? 0 : 1)
    },
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

type Answer = readonly QueueState[] | null

/** The same answer for all who ask within a while; null where there is none, or none yet. */
function remember(read: () => Promise<Answer>): () => Promise<Answer> {
  let answer: Promise<Answer> = Promise.resolve(null)
  let readAt = Number.NEGATIVE_INFINITY
  let isReading = false
  return () => {
    // On the embedded engine one that waits its turn is enough.
    if (!isReading && performance.now() - readAt > goodFor) {
      isReading = true
      answer = read()
        .catch(() => null)
        .finally(() => {
          isReading = false
          readAt = performance.now()
        })
    }
    return withinPatience(answer)
  }
}

async function withinPatience(answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>(resolve => {
    timer = setTimeout(resolve, patience, null)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

/** As the owner: how much waits is nobody's data. A dead letter counts from the moment that its job failed. */
function queryQueues({ queryAside }: Database): Promise<readonly QueueState[]> {
  return queryAside<QueueState>({
    text: `select queue.name,
      count(job.id)::int as waiting,
      coalesce(extract(epoch from now() - min(greatest(job.start_after, job.created_on))
        filter (where job.start_after <= now())), 0)::float8 as oldest
    from unnest($1::text[]) as queue(name)
    left join pgboss.job on job.name = queue.name
      and (job.state < 'active' or queue.name = any($2::text[]))
    group by queue.name`,
    values: [jobNames.flatMap(name => [name, toDeadQueue(name)]), jobNames.map(toDeadQueue)],
  })
}
