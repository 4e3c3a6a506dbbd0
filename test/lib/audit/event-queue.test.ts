import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { test } from 'tap'
import { createEventQueue } from '../../../lib/audit/event-queue.ts'
import type { NewAuditEvent } from '../../../lib/audit/new-event.ts'
import { recordEvents } from '../../../lib/audit/record-events.ts'
import { countStatements } from '../../app/audit/count-statements.ts'
import { openTestDatabase } from '../../app/support/open-test-database.ts'
import { seedTwoOrganizations } from '../../app/support/seed-two-organizations.ts'

test('events beside their requests', async t => {
  const database = await openTestDatabase(t)
  const { billing, main } = await seedTwoOrganizations(database)
  const lost: string[] = []
  const onError = (_: unknown, events: readonly NewAuditEvent[]) =>
    void lost.push(...events.map(({ action }) => action))
  const event = (
    action: string,
    tenant: Pick<NewAuditEvent, 'organizationId' | 'workspaceId'> = billing,
  ) => ({
    ...tenant,
    actorId: null,
    clientId: null,
    client: { name: 'x', version: null },
    via: 'rest' as const,
    action,
    resource: null,
    outcome: 'refused' as const,
    code: 'forbidden',
    status: 403,
    replayed: false,
    counts: null,
    requestId: 'req_1',
  })
  const recorded = async () => {
    const rows = await database.asOwner(trx =>
      trx.selectFrom('audit_events').select('action').orderBy('id').execute(),
    )
    return rows.map(({ action }) => action)
  }

  await t.test('are recorded at once, those of the same moment together', async t => {
    const queue = createEventQueue(database, { onError })
    const { statements } = await countStatements(database, async () => {
      for (let at = 0; at < 1_200; at++) queue.add(event(`a${at}`, at % 2 ? billing : main))
      await queue.drain()
    })
    t.match(statements, [/into audit_events/, /into audit_events/, /into audit_events/], '500, 500 and 200')
    t.equal(statements.length, 3, 'and no word of a transaction')
    t.equal((await recorded()).length, 1_200)
    t.same(lost, [])
  })

  await t.test('are lost alone when they have become impossible', async t => {
    const queue = createEventQueue(database, { onError })
    queue.add(event('first'))
    queue.add(event('before'))
    queue.add(event('gone', { organizationId: 'org_gone', workspaceId: null }))
    queue.add(event('after'))
    await queue.drain()
    t.same((await recorded()).slice(-3), ['first', 'before', 'after'])
    t.same(lost.splice(0), ['gone'])
  })

  await t.test('are of the time when they were added, however long they wait', async t => {
    const queue = createEventQueue(database, { onError })
    await database.asOwner(async trx => {
      // Nothing else is recorded until this is over.
      await trx.executeQuery(sql`lock table audit_events in exclusive mode`.compile(trx))
      queue.add(event('runs'))
      queue.add(event('waits'))
      await setTimeout(20)
      await recordEvents(trx, [event('comes later')])
    })
    await queue.drain()
    t.same((await recorded()).slice(-3), ['runs', 'waits', 'comes later'])
  })

  await t.test('are recorded in whichever moment they are added', async t => {
    for (let turns = 0; turns < 12; turns++) {
      let queue = createEventQueue(database, { onError })
      const late = async () => {
        for (let turn = 0; turn < turns; turn++) await null
        queue.add(event(`late ${turns}`))
      }
      let isFirst = true
      const executeAsOwner: typeof database.executeAsOwner = async statement => {
        await database.executeAsOwner(statement)
        if (isFirst) void late()
        isFirst = false
      }
      queue = createEventQueue({ ...database, executeAsOwner }, { onError })
      queue.add(event('early'))
      await queue.drain()
      await setTimeout(5)
      await queue.drain()
      t.equal((await recorded()).at(-1), `late ${turns}`)
    }
  })

  await t.test('are bounded', async t => {
    const queue = createEventQueue(database, { onError, capacity: 2 })
    for (const action of ['one', 'two', 'three']) queue.add(event(action))
    await queue.drain()
    t.same(lost.splice(0), ['three'])
  })
})
