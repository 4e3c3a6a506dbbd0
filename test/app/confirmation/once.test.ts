import { test } from 'tap'
import { z } from 'zod'
import type { Database } from '../../../lib/database/database.ts'
import { startApp } from '../plumbing/start-app.ts'
import { createPerson } from '../resources/person.ts'
import { insertEmail, insertInbox } from '../support/insert-email.ts'
import { ask, createAgent, yes } from './agent.ts'

const trail = z.looseObject({ data: z.array(z.looseObject({ replayed: z.boolean() })) })

// Two instances on one database, as two replicas are.

async function startTwo(t: Parameters<typeof startApp>[0]) {
  const first = await startApp(t, { config: { rateLimitMax: 1_000_000 } })
  const second = await startApp(t, { beside: first, config: { rateLimitMax: 1_000_000 } })
  for (const { app } of [first, second]) {
    await app.jobs.start()
    t.teardown(() => app.jobs.stop())
  }
  const inboxId = await insertInbox(first.database, first.people.billing)
  return { first: first.app, second: second.app, database: first.database, people: first.people, inboxId }
}

test('a confirmation with two instances', async t => {
  const { first, second, database, people, inboxId } = await startTwo(t)

  await t.test('one yes that arrives twenty times at once, at two instances, runs once', async t => {
    const id = await insertEmail(database, people.billing, { inboxId })
    const bruno = createAgent(first, people.bruno)

    const reprocess = await ask(bruno, 'emails_reprocess', { id })
    const begun = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        bruno.call(
          'emails_reprocess',
          { id },
          { state: reprocess.state, responses: yes, at: index % 2 === 0 ? first : second },
        ),
      ),
    )
    t.same(new Set(begun.map(({ verdict }) => verdict)), new Set(['done']))
    t.equal(new Set(begun.map(({ text }) => text)).size, 1, 'all are told the same')
    t.equal(await countOperations(database, id), 1)

    const removal = await ask(bruno, 'emails_delete', { id })
    const removed = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        bruno.call(
          'emails_delete',
          { id },
          { state: removal.state, responses: yes, at: index % 2 === 0 ? second : first },
        ),
      ),
    )
    t.same(new Set(removed.map(({ verdict }) => verdict)), new Set(['done']))
    t.match(await bruno.call('emails_get', { id }), { verdict: 'not_found' })
    const bia = createPerson(first, people.bia)
    for (const action of ['emails_reprocess', 'emails_delete']) {
      const query = `action=${action}&resource_id=${id}&outcome=succeeded&limit=100`
      const events = trail.parse((await bia.get(`/audit-events?${query}`)).body).data
      t.equal(
        events.filter(({ replayed }) => !replayed).length,
        1,
        `${action} ran once, says the audit trail`,
      )
    }
  })

  await t.test(
    'an outcome whose answer was lost is given again by the other instance, and nothing runs',
    async t => {
      const id = await insertEmail(database, people.billing, { inboxId })
      const bruno = createAgent(first, people.bruno)

      const { state } = await ask(bruno, 'emails_reprocess', { id })
      const ran = await bruno.call('emails_reprocess', { id }, { state, responses: yes })
      t.equal(ran.verdict, 'done')
      // Since then it has been done, changed and deleted: what was decided is decided.
      await database.inTenant(people.billing, trx =>
        trx.updateTable('operations').set({ status: 'succeeded' }).where('email_id', '=', id).execute(),
      )
      t.match(await bruno.call('emails_update', { id, read: true }), { verdict: 'done' })
      const removal = await ask(bruno, 'emails_delete', { id })
      const answer = { state: removal.state, responses: yes }
      t.match(await bruno.call('emails_delete', { id }, answer), { verdict: 'done' })

      const again = await bruno.call('emails_reprocess', { id }, { state, responses: yes, at: second })
      t.same(again, ran)
      t.equal(await countOperations(database, id), 1)
      t.match(await bruno.call('emails_delete', { id }, { ...answer, at: second }), { verdict: 'done' })
    },
  )
})

async function countOperations(database: Database, emailId: string): Promise<number> {
  const rows = await database.asOwner(trx =>
    trx.selectFrom('operations').where('email_id', '=', emailId).select('id').execute(),
  )
  return rows.length
}
