import { setTimeout as wait } from 'node:timers/promises'
import { type Test, test } from 'tap'
import { type Relay, startRelay } from '../../../bench/scale/start-relay.ts'
import type { Database } from '../../../lib/database/database.ts'
import { openDatabase } from '../../../lib/database/open-database.ts'
import { isUnavailable } from '../../../lib/problem/is-unavailable.ts'
import { createTestLocation } from '../../app/support/open-test-database.ts'

const skip = process.env.DATABASE_URL ? false : 'needs DATABASE_URL'

test('a server that is gone without a word is told from one that takes its time', { skip }, async t => {
  const { database, relay } = await openBehindRelay(t)
  const patient = await openBehindRelay(t)
  const slow = patient.database.pool.query('select pg_sleep(6)')
  const lost = [
    database.pool.query('select pg_sleep(30)'),
    database.asOwner(async trx => {
      await wait(1_000)
      return trx.selectFrom('users').select('id').execute()
    }),
  ]
  await wait(500)
  const goneAt = Date.now()
  relay.set('silent')
  for (const outcome of await Promise.allSettled(lost))
    t.ok(outcome.status === 'rejected' && isUnavailable(outcome.reason), `${JSON.stringify(outcome)}`)
  t.ok(Date.now() - goneAt < 10_000, 'what waits for it is given up within ten seconds')
  t.equal((await slow).rowCount, 1, 'a statement on a server that works is left alone')

  relay.set('open')
  const backAt = Date.now()
  while (!(await database.isReady()) && Date.now() - backAt < 10_000) await wait(50)
  t.ok(Date.now() - backAt < 5_000, 'and the server is used again when it is back')
})

async function openBehindRelay(t: Test): Promise<{ database: Database; relay: Relay }> {
  const location = await createTestLocation(t)
  const url = new URL(location.databaseUrl ?? '')
  const relay = await startRelay({ host: url.hostname, port: Number(url.port || 5432) })
  url.host = `127.0.0.1:${relay.port}`
  const database = await openDatabase({ ...location, databaseUrl: url.href })
  t.teardown(async () => {
    await database.close()
    await relay.close()
  })
  return { database, relay }
}
