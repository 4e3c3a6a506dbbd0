import { rmSync } from 'node:fs'
import type { PGlite } from '@electric-sql/pglite'
import type { Database } from '../../../lib/database/database.ts'
import { createPgliteEngine, startPglite } from '../../../lib/database/pglite-engine.ts'
import { createDatabase } from '../../../lib/database/transactions.ts'
import { copyTemplate } from './embedded-template.ts'
import { emptyDatabase, type Pristine, readPristine } from './empty-database.ts'
import type { Teardown } from './open-test-database.ts'

/** A running engine whose database is as the template has it. */
interface Spare {
  readonly pglite: PGlite
  readonly dataDir: string
  readonly pristine: Pristine
}

/** What tests of this process have done with. */
const spares: Spare[] = []

/** The time of day, whatever a test makes of it. */
const { now } = Date

process.once('exit', () => {
  for (const { dataDir } of spares) remove(dataDir)
})

/**
 * A migrated, empty database of one's own. Starting the engine takes ten times as long as emptying its database, so
 * it is one that an earlier test of this process had, if that is known to be as it was, else a copy of the template.
 */
export async function openEmbeddedDatabase(t: Teardown, onError: (error: Error) => void): Promise<Database> {
  const spare = spares.pop() ?? (await startSpare())
  const engine = createPgliteEngine(spare.pglite, onError)
  const database = createDatabase(engine)
  t.teardown(async () => {
    await database.close()
    // What still holds the connection could write into the next test's database.
    const isFree = engine.pool.totalCount === 0
    if (isFree && (await emptyDatabase(toQuery(spare.pglite), spare.pristine))) spares.push(spare)
    else await discard(spare)
  })
  return database
}

async function startSpare(): Promise<Spare> {
  const dataDir = await copyTemplate()
  const pglite = await startPglite(dataDir)
  keepTime(pglite)
  return { pglite, dataDir, pristine: await readPristine(toQuery(pglite)) }
}

/**
 * Lets the engine see the time of day, as a server would: one that is told a time which then goes back waits until that
 * time has come.
 */
function keepTime(pglite: PGlite): void {
  const exchange = pglite.execProtocolRawSync.bind(pglite)
  pglite.execProtocolRawSync = message => {
    const moved = Date.now
    Date.now = now
    try {
      return exchange(message)
    } finally {
      Date.now = moved
    }
  }
}

async function discard({ pglite, dataDir }: Spare): Promise<void> {
  await pglite.close()
  remove(dataDir)
}

function remove(dataDir: string): void {
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 })
}

function toQuery(pglite: PGlite) {
  return async (text: string) => pglite.exec(text)
}
