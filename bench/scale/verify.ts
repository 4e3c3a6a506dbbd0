import { sql } from 'kysely'
import type { Database } from '../../lib/database/database.ts'
import type { Ledger } from './ledger.ts'
import { tenant } from './people.ts'

/** One promise that was given, and how it was kept. */
export interface Promised {
  readonly what: string
  readonly promised: number
  /** Kept exactly once. */
  readonly kept: number
  readonly lost: number
  readonly twice: number
}

/** Holds everything that was acknowledged against what the database has. */
export async function verify(database: Database, ledger: Ledger): Promise<readonly Promised[]> {
  const inboxes = await database.inTenant(tenant, trx =>
    trx.selectFrom('inboxes').select(['address', 'deleted_at']).execute(),
  )
  const living = countBy(inboxes.filter(row => row.deleted_at === null).map(({ address }) => address))
  const deleted = countBy(inboxes.filter(row => row.deleted_at !== null).map(({ address }) => address))
  const processed = countBy(await readProcessed(database))
  return [
    hold('inboxes created', ledger.created, living),
    hold('inboxes removed with a yes', ledger.removed, deleted),
    hold('inboxes kept with a no', ledger.kept, living),
    hold('messages taken in and processed', ledger.mailed, processed),
  ]
}

/** Resolves when no message waits to be processed, or to how many do after so many milliseconds. */
export async function untilProcessed(database: Database, patience: number): Promise<number> {
  const end = Date.now() + patience
  for (;;) {
    const { waiting } = await database.inTenant(tenant, trx =>
      trx
        .selectFrom('emails')
        .where('status', 'in', ['received', 'processing'])
        .select(sql<number>`count(*)::int`.as('waiting'))
        .executeTakeFirstOrThrow(),
    )
    if (waiting === 0 || Date.now() > end) return waiting
    await new Promise(resolve => setTimeout(resolve, 250))
  }
}

async function readProcessed(database: Database): Promise<string[]> {
  const rows = await database.inTenant(tenant, trx =>
    trx.selectFrom('emails').where('status', '=', 'processed').select('message_id').execute(),
  )
  return rows.map(({ message_id }) => message_id ?? '')
}

function hold(what: string, promised: ReadonlySet<string>, found: ReadonlyMap<string, number>): Promised {
  const counts = [...promised].map(name => found.get(name) ?? 0)
  return {
    what,
    promised: promised.size,
    kept: counts.filter(count => count === 1).length,
    lost: counts.filter(count => count === 0).length,
    twice: counts.filter(count => count > 1).length,
  }
}

function countBy(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}
