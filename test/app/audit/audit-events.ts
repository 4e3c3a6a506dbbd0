import type { FastifyInstance } from 'fastify'
import type { Selectable } from 'kysely'
import type { Database } from '../../../lib/database/database.ts'
import type { Tables } from '../../../lib/database/tables.ts'

export type EventRow = Selectable<Tables['audit_events']>

/** What some work adds to the record, in order, of all organizations. */
export async function recordOf(
  { app, database }: { app: FastifyInstance; database: Database },
  work: () => Promise<unknown>,
): Promise<EventRow[]> {
  await app.auditSettled()
  const before = new Set((await readEvents(database)).map(({ id }) => id))
  await work()
  await app.auditSettled()
  return (await readEvents(database)).filter(({ id }) => !before.has(id))
}

function readEvents(database: Database): Promise<EventRow[]> {
  return database.asOwner(trx => trx.selectFrom('audit_events').selectAll().orderBy('id').execute())
}
