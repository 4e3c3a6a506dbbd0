import type { FastifyPluginAsync } from 'fastify'
import { sql } from 'kysely'
import { test } from 'tap'
import { createLog } from '../../../lib/log/log.ts'
import { countNotes, createNotesRoutes } from '../plumbing/notes-routes.ts'
import { audiences, bearer, startApp } from '../plumbing/start-app.ts'
import { createPerson } from '../resources/person.ts'
import { insertEmail, insertInbox } from '../support/insert-email.ts'
import { recordOf } from './audit-events.ts'
import { countStatements } from './count-statements.ts'

const config = { scopes: ['inboxes:write'], permission: 'inboxes:write' }

test('a write and its event', async t => {
  const routes: FastifyPluginAsync = async app => {
    await createNotesRoutes({ count: 0 })(app, {})
    app.post('/idle', { config }, async () => ({ ok: true }))
  }
  const started = await startApp(t, { routes })
  const { app, database, people } = started
  const post = (url: string, headers: Record<string, string> = {}) =>
    app.inject({
      method: 'POST',
      url: `/api/v1${url}`,
      headers: { ...bearer(people.bia), ...headers },
      payload: {},
    })
  const ways = [{}, { 'idempotency-key': 'one' }]

  /** As when the record cannot be written: a full disk, a constraint that a new version forgot. */
  const withoutRecord = async (work: () => Promise<unknown>) => {
    const only = sql`alter table audit_events add constraint closed check (outcome <> 'succeeded') not valid`
    await database.asOwner(trx => only.execute(trx))
    await work()
    await app.auditSettled()
    await database.asOwner(trx => sql`alter table audit_events drop constraint closed`.execute(trx))
  }

  await t.test('exist together or not at all', async t => {
    for (const headers of ways) {
      const before = await countNotes(database)
      await withoutRecord(async () => {
        const answer = await post('/notes', headers)
        t.equal(answer.statusCode, 500)
        t.match(answer.json(), { code: 'internal_error' })
        t.notOk(answer.headers.location ?? answer.headers.etag)
      })
      t.equal(await countNotes(database), before)
      const events = await recordOf(started, async () =>
        t.equal((await post('/notes', headers)).statusCode, 201),
      )
      t.match(events, [{ outcome: 'succeeded', status: 201 }])
      t.equal(await countNotes(database), before + 1)
    }
  })

  await t.test('are undone together by an answer that fails, which is recorded', async t => {
    for (const url of ['/broken-notes', '/wrongly-printed-notes', '/refused-notes', '/limited-notes']) {
      const before = await countNotes(database)
      const events = await recordOf(started, async () => {
        const first = await post(url)
        if (first.statusCode < 400) await post(url)
      })
      const kept = events.filter(({ outcome }) => outcome === 'succeeded').length
      t.equal(events.filter(({ outcome }) => outcome !== 'succeeded').length, 1, url)
      t.match(events.at(-1)?.code, /internal_error|conflict|rate_limited/)
      t.equal(await countNotes(database), before + kept, url)
    }
  })

  await t.test('include all work of a handler, without what it gave up', async t => {
    const before = await countNotes(database)
    const events = await recordOf(started, async () =>
      t.match((await post('/forgiving-notes')).json(), { failed: null }),
    )
    t.match(events, [{ outcome: 'succeeded', status: 200 }])
    t.equal(await countNotes(database), before + 2)
  })

  await t.test('need no transaction where nothing was done', async t => {
    t.match(await recordOf(started, () => post('/idle')), [
      { action: 'POST /api/v1/idle', outcome: 'succeeded' },
    ])
  })
})

test('recording costs', async t => {
  const started = await startApp(t)
  const { app, database, people } = started
  const bia = createPerson(app, people.bia)
  const inboxId = await insertInbox(database, people.billing)
  const emailId = await insertEmail(database, people.billing, { inboxId })
  await bia.get('/me')
  const isAudit = (statement: string) => statement.includes('audit_events')

  await t.test('a write one statement, in its own transaction', async t => {
    const { statements } = await countStatements(database, () =>
      bia.patch(`/emails/${emailId}`, { read: true }),
    )
    const begun = statements.filter(statement => /^begin|^start transaction/i.test(statement))
    t.equal(statements.filter(isAudit).length, 1)
    t.equal(begun.length, 1, statements.join('\n'))
    t.same(
      statements.filter(statement => /savepoint|rollback/i.test(statement)),
      [],
    )
    t.ok(isAudit(statements.at(-2) ?? ''), 'last before the commit')
    t.match(statements.at(-1), /^commit/i)
  })

  await t.test('a read nothing', async t => {
    const { statements } = await countStatements(database, async () => {
      await bia.get('/emails')
      await app.auditSettled()
    })
    t.same(statements.filter(isAudit), [])
  })

  await t.test('a refusal one statement, after its answer', async t => {
    const { statements } = await countStatements(database, async () => {
      await bia.patch(`/emails/${emailId}`, { read: 'no' })
      await app.auditSettled()
    })
    t.equal(statements.filter(isAudit).length, 1)
  })
})

test('a read whose event cannot be written is answered all the same, and the log tells', async t => {
  const lines: string[] = []
  const log = createLog('error')
  log.error = (...parts: unknown[]) => void lines.push(JSON.stringify(parts))
  const { app, database, people } = await startApp(t, { log })
  await database.asOwner(trx => sql`revoke insert on audit_events from kobana_app`.execute(trx))
  await database.asOwner(trx =>
    sql`alter table audit_events add constraint closed check (false) not valid`.execute(trx),
  )
  const answer = await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: bearer(people.bia, { audience: audiences.mcp }),
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'inboxes_list' } },
  })
  t.match(answer.json(), { result: { content: [{ type: 'text' }] } })
  t.notOk(answer.json().result.isError)
  await app.auditSettled()
  t.match(lines.join(), /audit events were not recorded/)
})
