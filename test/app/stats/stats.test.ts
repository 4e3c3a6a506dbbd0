import { test } from 'tap'
import { z } from 'zod'
import { countStatements } from '../audit/count-statements.ts'
import { startApp } from '../plumbing/start-app.ts'
import { toRefusal } from '../resources/answers.ts'
import { type Answer, createPerson } from '../resources/person.ts'
import { storeEmail } from '../resources/store-email.ts'
import { insertInbox, insertManyEmails } from '../support/insert-email.ts'

const answer = z.object({
  data: z.looseObject({
    total: z.int(),
    by_day: z.array(z.object({ day: z.string(), total: z.int() })),
    by_inbox: z.array(z.looseObject({ inbox_id: z.string(), total: z.int() })),
  }),
})
const toStats = ({ body }: Answer) => answer.parse(body).data

test('statistics', async t => {
  const { app, database, people } = await startApp(t)
  const { billing } = people
  const vera = createPerson(app, people.vera, { workspaceId: billing.workspaceId })
  const bia = createPerson(app, people.bia)
  const leo = createPerson(app, people.leo)
  const one = await insertInbox(database, billing)
  const two = await insertInbox(database, billing)
  const gone = await insertInbox(database, billing)
  const store = (inboxId: string, receivedAt: string, status?: 'failed' | 'rejected') =>
    storeEmail(database, billing, { inboxId, receivedAt, ...(status && { status }) })

  await t.test('need the scope, and days that there are, in order and not too many', async t => {
    const blind = createPerson(app, people.bia, { scopes: ['inboxes:read'] })
    t.equal(toRefusal(await blind.get('/stats')), '403 insufficient_scope')
    for (const [query, path] of [
      ['from=2026-02-30', 'from'],
      ['to=2026-13-01', 'to'],
      ['to=today', 'to'],
      ['from=2026-01-01T00:00:00Z', 'from'],
      ['to=0000-01-01', 'to'],
      ['from=2026-01-02&to=2026-01-01', 'from'],
      ['from=2025-01-01&to=2026-01-02', 'from'],
      ['day=2026-01-01', 'day'],
    ] as const) {
      t.equal(toRefusal(await vera.get(`/stats?${query}`)), `400 validation_failed ${path}`, query)
    }
    t.equal((await vera.get('/stats?from=2025-01-01&to=2026-01-01')).status, 200, '366 days')
    for (const [query, from, to] of [
      ['to=9999-12-31', '9999-12-02', '9999-12-31'],
      ['from=9999-12-31&to=9999-12-31', '9999-12-31', '9999-12-31'],
      ['to=1000-01-01', '0999-12-03', '1000-01-01'],
    ] as const) {
      t.match(toStats(await vera.get(`/stats?${query}`)), { from, to, total: 0 }, 'the first and last days')
    }
  })

  await t.test('count per status, inbox and day in UTC, and never what is deleted', async t => {
    await store(one, '2026-01-01T00:00:00.000Z')
    await store(one, '2026-01-01T23:59:59.999Z', 'failed')
    const read = await store(one, '2026-01-03T12:00:00.000Z')
    await store(two, '2026-01-02T22:30:00-03:00', 'rejected')
    await store(one, '2025-12-31T23:59:59.999Z')
    await store(one, '2026-01-04T00:00:00.000Z')
    const deleted = await store(one, '2026-01-02T00:00:00.000Z')
    await store(gone, '2026-01-02T00:00:00.000Z')
    await bia.patch(`/emails/${read}`, { read: true })
    await bia.delete(`/emails/${deleted}`)
    await bia.delete(`/inboxes/${gone}`)

    t.same((await vera.get('/stats?from=2026-01-01&to=2026-01-03')).body, {
      data: {
        from: '2026-01-01',
        to: '2026-01-03',
        total: 4,
        unread: 3,
        by_status: { received: 0, processing: 0, processed: 2, failed: 1, rejected: 1 },
        by_inbox: [
          { inbox_id: one, address: `${one}@inbox.test`, name: 'Inbox', total: 3 },
          { inbox_id: two, address: `${two}@inbox.test`, name: 'Inbox', total: 1 },
        ],
        inboxes: 2,
        by_day: [
          { day: '2026-01-01', total: 2 },
          { day: '2026-01-02', total: 0 },
          { day: '2026-01-03', total: 2 },
        ],
      },
    })
  })

  await t.test('are of the last 30 days unless told otherwise', async t => {
    const today = new Date().toISOString().slice(0, 10)
    await store(one, new Date().toISOString())
    const stats = toStats(await vera.get('/stats'))
    t.equal(stats.by_day.length, 30)
    t.same(stats.by_day.at(-1), { day: today, total: 1 })
    t.match(toStats(await vera.get('/stats?to=2026-01-30')), {
      from: '2026-01-01',
      to: '2026-01-30',
      total: 5,
    })
  })

  await t.test("are the workspace's own", async t => {
    const support = createPerson(app, people.ana, { workspaceId: people.support.workspaceId })
    for (const person of [leo, support]) {
      const stats = toStats(await person.get('/stats?from=2026-01-01&to=2026-01-03'))
      t.match(stats, { total: 0, unread: 0, inboxes: 0, by_inbox: [] })
    }
  })

  await t.test('are counted in one statement, however much there is', async t => {
    const main = await insertInbox(database, people.main)
    await insertManyEmails(database, people.main, { inboxId: main, count: 5_000 })
    await leo.get('/me')
    const { statements, result } = await countStatements(database, () =>
      leo.get('/stats?from=2026-01-01&to=2026-01-31'),
    )
    t.match(toStats(result), { total: 5_000, unread: 5_000 })
    t.equal(
      toStats(result).by_day.reduce((sum, { total }) => sum + total, 0),
      5_000,
    )
    t.equal(statements.filter(sql => /^select .* from/s.test(sql)).length, 1, statements.join('\n'))
  })
})
