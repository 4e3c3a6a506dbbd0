import { test } from 'tap'
import { openDatabase } from '../../../lib/database/open-database.ts'
import { createEmbeddedLocation } from '../../app/support/embedded-template.ts'
import { runFixture } from './fixtures/run-fixture.ts'

test('a killed process loses no committed row, and no second one gets in while it runs', async t => {
  const location = await createEmbeddedLocation(t)
  const committed: string[] = []
  for (const count of [30, 1]) {
    const writer = runFixture('write-rows', location.dataDir)
    t.teardown(() => writer.kill())
    for (let row = 0; row < count; row++) committed.push((await writer.lines.next()).value)
    await t.rejects(openDatabase(location), {
      message: `The database in ${location.dataDir} is in use by process ${writer.child.pid}.`,
    })
    await writer.kill()
    // What it printed between the last line read and its end was committed, too.
    for await (const line of writer.lines) committed.push(line)
  }

  const database = await openDatabase(location)
  t.teardown(() => database.close())
  const rows = await database.asOwner(trx => trx.selectFrom('organizations').select(['id', 'name']).execute())
  const found = new Set(rows.map(row => row.id))
  t.strictSame(
    committed.filter(id => !found.has(id)),
    [],
  )
  t.ok(found.size <= committed.length + 3, 'at most one row each was committed and not printed')
  t.ok(rows.every(row => row.name.length === 2000))
})

test('the data of a database that was closed is there when it opens again', async t => {
  const location = await createEmbeddedLocation(t)
  const first = await openDatabase(location)
  await first.asOwner(trx => trx.insertInto('organizations').values({ id: 'org_1', name: 'One' }).execute())
  await first.close()
  const second = await openDatabase(location)
  t.teardown(() => second.close())
  t.strictSame(await second.asOwner(trx => trx.selectFrom('organizations').select('name').execute()), [
    { name: 'One' },
  ])
})
