import type { PgBoss } from 'pg-boss'
import type { Database } from '../database/database.ts'
import { jobNames, toDeadQueue } from './queues.ts'

/** Fails the jobs that are marked as running, so that they are tried again; returns how many there were. */
export async function releaseOrphans({ pool }: Database, boss: PgBoss): Promise<number> {
  const queues = jobNames.flatMap(name => [name, toDeadQueue(name)])
  const { rows } = await pool.query<{ name: string; id: string }>(
    `select name, id from pgboss.job where state = 'active' and name = any($1)`,
    [queues],
  )
  for (const { name, id } of rows) await boss.fail(name, id, { message: 'its worker ended' })
  return rows.length
}
