import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import tap, { test } from 'tap'
import type { Database } from '../../../lib/database/database.ts'
import { openDatabase } from '../../../lib/database/open-database.ts'
import { createDemoMessages } from '../../../lib/demo/messages/index.ts'
import { createDemoLocation } from './fixtures/create-demo-location.ts'
import { startDemo } from './fixtures/start-demo.ts'

// Three starts, on a machine that may be busy.
tap.setTimeout(480_000)

interface Row {
  message_id: string
  status: string
  operations: number
}

function readEmails(database: Database): Promise<Row[]> {
  return database.asOwner(async trx => {
    const { rows } = await sql<Row>`
      select message_id, emails.status, count(operations.id)::int as operations
      from emails left join operations on operations.email_id = emails.id
      where operations.status in ('succeeded', 'failed')
      group by message_id, emails.status order by message_id`.execute(trx)
    return rows
  })
}

test('killed in the middle of its first start, twice, the demo ends with the same data, nothing doubled', async t => {
  const location = await createDemoLocation(t)
  const expected = (await createDemoMessages())
    .map(({ raw, outcome }) => ({
      message_id: /^Message-ID: <([^>]+)>/m.exec(raw.toString('latin1'))?.[1],
      status: outcome as string,
      operations: 1,
    }))
    .sort((a, b) => ((a.message_id ?? '') < (b.message_id ?? '') ? -1 : 1))

  for (const moment of [300, 4_000]) {
    const demo = startDemo(location)
    t.teardown(() => demo.end('SIGKILL'))
    const url = await demo.listening()
    await demo.printed('Delivering')
    t.equal((await fetch(`${url}/ready`)).status, 503, 'not ready while the data is on its way')
    await delay(moment)
    t.equal(await demo.end('SIGKILL'), null)
  }

  const last = startDemo(location)
  t.teardown(() => last.end('SIGKILL'))
  await last.ready()
  t.equal(await last.end('SIGTERM'), 0)

  const database = await openDatabase(location)
  t.teardown(() => database.close())
  const byMessageId = (a: Row, b: Row) => (a.message_id < b.message_id ? -1 : 1)
  t.same((await readEmails(database)).sort(byMessageId), expected)
})
