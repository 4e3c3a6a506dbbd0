import { sql } from 'kysely'
import { test } from 'tap'
import { z } from 'zod'
import { createId } from '../../../lib/id/id.ts'
import { createLinkFor } from '../../../lib/people/create-link-for.ts'
import { findOpenLink } from '../../../lib/people/open-link.ts'
import { startApp } from '../plumbing/start-app.ts'
import { toRecord, toRefusal } from '../resources/answers.ts'
import { type Answer, createPerson, type Person } from '../resources/person.ts'
import { insertApiKey } from '../support/insert-api-key.ts'

const reset = z.object({ data: z.object({ link: z.string() }).loose() })

test("people's accounts", async t => {
  const started = await startApp(t, { env: { RATE_LIMIT_MAX: '100000' } })
  const { app, database, people } = started
  const { workspaceId } = people.billing
  const ana = createPerson(app, people.ana, { workspaceId })
  const bia = createPerson(app, people.bia)
  const bruno = createPerson(app, people.bruno)
  const vera = createPerson(app, people.vera, { workspaceId })
  const leo = createPerson(app, people.leo)
  const inSupport = createPerson(app, people.ana, { workspaceId: people.support.workspaceId })
  const actions: Record<
    string,
    (who: Person, id: string, headers?: Record<string, string>) => Promise<Answer>
  > = {
    disable: (who, id, headers) => who.post(`/members/${id}/disable`, undefined, headers),
    enable: (who, id, headers) => who.post(`/members/${id}/enable`, undefined, headers),
    remove: (who, id, headers) => who.delete(`/members/${id}`, headers),
    reset: (who, id, headers) => who.post(`/members/${id}/password-resets`, undefined, headers),
  }
  const act = (name: string, who: Person, id: string, headers?: Record<string, string>) => {
    const action = actions[name]
    if (!action) throw new Error(name)
    return action(who, id, headers)
  }
  const grant = async (userId: string) => {
    const id = createId('opr')
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    await database.asOwner(trx =>
      trx
        .insertInto('oauth_grants')
        .values({ id, user_id: userId, client_id: 'c', data: '{}', expires_at })
        .execute(),
    )
  }
  const grantsOf = (userId: string) =>
    database.asOwner(trx =>
      trx.selectFrom('oauth_grants').select('id').where('user_id', '=', userId).execute(),
    )

  for (const name of Object.keys(actions)) {
    await t.test(`to ${name} them is refused to operators, viewers and tokens that only read`, async t => {
      const reader = createPerson(app, people.bia, { scopes: ['members:read'] })
      t.equal(toRefusal(await act(name, bruno, people.vera)), '403 forbidden')
      t.equal(toRefusal(await act(name, vera, people.bruno)), '403 forbidden')
      t.equal(toRefusal(await act(name, reader, people.bruno)), '403 insufficient_scope')
    })

    await t.test(`to ${name} them, whoever is elsewhere is as if they did not exist`, async t => {
      for (const id of [people.bruno, createId('usr'), createId('inb'), 'x', `${people.bruno}%00`]) {
        for (const stranger of [leo, inSupport]) {
          t.equal(toRefusal(await act(name, stranger, id, { 'if-match': '"9"' })), '404 not_found', id)
        }
      }
    })

    await t.test(`to ${name} them takes the version that is named, and no body`, async t => {
      const stale = await act(name, bia, people.bruno, { 'if-match': '"9"' })
      t.equal(toRefusal(stale), '412 precondition_failed')
      if (name === 'remove') return
      const path = `/members/${people.bruno}/${name === 'reset' ? 'password-resets' : name}`
      t.equal(toRefusal(await bia.post(path, { force: true })), '400 validation_failed force')
    })

    if (name === 'remove') continue
    await t.test(`to ${name} somebody takes an admin of every workspace that they belong to`, async t => {
      const refused = await act(name, bia, people.vera)
      t.equal(toRefusal(refused), '403 forbidden')
      t.match(refused.body, { detail: /workspaces that you do not administer/ })
      t.notMatch(JSON.stringify(refused.body), /Support/)
      t.equal(toRefusal(await act(name, bia, people.ana)), '403 forbidden')
      const key = await database.inTenant(people.billing, trx =>
        insertApiKey(trx, people.billing, people.ana),
      )
      await database.asOwner(trx =>
        sql`update api_keys set scopes = '{members:write}' where id = ${key.id}`.execute(trx),
      )
      const headers = { authorization: `Bearer ${key.text}` }
      const path = name === 'reset' ? 'password-resets' : name
      const url = `/api/v1/members/${people.vera}/${path}`
      const answer = await app.inject({ method: 'POST', url, headers })
      t.match(answer.json(), { status: 403, code: 'forbidden', detail: /do not administer/ }, 'a key has one')
    })
  }

  await t.test('are not disabled by themselves, nor given a link of their own in an answer', async t => {
    t.equal(toRefusal(await act('disable', bia, people.bia)), '409 conflict')
    t.equal(toRefusal(await act('reset', bia, people.bia)), '409 conflict')
    t.equal(toRefusal(await act('remove', leo, people.leo)), '409 conflict', 'the only admin')
  })

  await t.test(
    'that are disabled end everywhere, at once on this process and in 30 seconds on others',
    async t => {
      const other = await startApp(t, { beside: started })
      const there = createPerson(other.app, people.bruno)
      const key = await database.inTenant(people.billing, trx =>
        insertApiKey(trx, people.billing, people.bruno),
      )
      const withKey = () =>
        app.inject({ url: '/api/v1/emails', headers: { authorization: `Bearer ${key.text}` } })
      const link = await createLinkFor(database, { userId: people.bruno, organizationId: people.acme.id })
      await grant(people.bruno)
      t.same([(await there.get('/emails')).status, (await withKey()).statusCode], [200, 200])

      const disabled = await act('disable', bia, people.bruno, { 'if-match': '"1"' })
      t.match(disabled, {
        status: 200,
        headers: { etag: '"2"' },
        body: { data: { disabled: true, version: 2 } },
      })
      t.match(await act('disable', bia, people.bruno), { status: 200, headers: { etag: '"2"' } }, 'again')
      t.equal(toRefusal(await bruno.get('/emails')), '401 unauthorized')
      t.equal((await withKey()).statusCode, 401)
      t.equal(await findOpenLink(database, link.token), null)
      t.same(await grantsOf(people.bruno), [])
      const { now } = Date
      t.teardown(() => {
        Date.now = now
      })
      Date.now = () => now() + 30_001
      t.equal(toRefusal(await there.get('/emails')), '401 unauthorized')
      Date.now = now

      t.equal(toRefusal(await act('reset', bia, people.bruno)), '409 conflict', 'no link while disabled')
      t.match(await act('enable', bia, people.bruno), { status: 200, headers: { etag: '"3"' } })
      t.equal((await bruno.get('/emails')).status, 200)
      t.equal(await findOpenLink(database, link.token), null, 'a link that ended stays so')
    },
  )

  await t.test('get a link by an admin, with which the one before and their logins end', async t => {
    await grant(people.bruno)
    const linkOf = async () => {
      const answer = await act('reset', bia, people.bruno)
      t.match(answer, {
        status: 200,
        body: { data: { id: people.bruno, mailed: false, link_expires_at: /^20/ } },
      })
      return new URL(reset.parse(answer.body).data.link).searchParams.get('token') ?? ''
    }
    const [first, second] = [await linkOf(), await linkOf()]
    t.equal(await findOpenLink(database, first), null)
    t.match(await findOpenLink(database, second), { userId: people.bruno, purpose: 'invitation' })
    t.same(await grantsOf(people.bruno), [])
    await app.auditSettled()
    const events = await database.asOwner(trx =>
      trx.selectFrom('audit_events').selectAll().where('action', '=', 'members_reset_password').execute(),
    )
    t.ok(events.some(event => event.outcome === 'succeeded' && event.resource_id === people.bruno))
    t.notMatch(JSON.stringify(events), second)
  })

  await t.test('stay when somebody is removed from a workspace, but nothing of theirs opens it', async t => {
    const key = await database.inTenant(people.billing, trx =>
      insertApiKey(trx, people.billing, people.bruno),
    )
    const link = await createLinkFor(database, { userId: people.bruno, organizationId: people.acme.id })
    const removed = await act('remove', bia, people.bruno, { 'idempotency-key': 'remove' })
    t.match(removed, { status: 204, body: null })
    t.match(await act('remove', bia, people.bruno, { 'idempotency-key': 'remove' }), { status: 204 })
    t.equal(toRefusal(await bruno.get('/emails')), '400 workspace_required')
    t.equal(toRefusal(await act('remove', bia, people.bruno)), '404 not_found')
    t.equal(await findOpenLink(database, link.token), null, 'without a workspace there is no use of a link')
    const back = { email: 'bruno@acme.test', name: 'Bruno', role: 'operator' }
    t.equal((await bia.post('/members', back)).status, 201)
    t.equal((await bruno.get('/emails')).status, 200)
    const headers = { authorization: `Bearer ${key.text}` }
    t.equal(
      (await app.inject({ url: '/api/v1/emails', headers })).statusCode,
      401,
      'his key does not come back',
    )
    t.equal((await act('remove', ana, people.vera)).status, 204)
    t.equal((await vera.get('/emails')).status, 404)
    const elsewhere = createPerson(app, people.vera, { workspaceId: people.support.workspaceId })
    t.equal((await elsewhere.get('/emails')).status, 200, 'other workspaces stay')
  })

  await t.test('of two admins who disable, or remove, each other at once one stays', async t => {
    await bia.post('/members', { email: 'bruno@acme.test', name: 'Bruno', role: 'admin' })
    await bia.patch(`/members/${people.bruno}`, { role: 'admin' })
    const both = await Promise.all([act('disable', bia, people.bruno), act('disable', bruno, people.bia)])
    t.same(both.filter(({ status }) => status === 200).length, 1)
    t.ok(both.every(({ status }) => [200, 401, 403].includes(status)))
    const enabled = await ana.get('/members?role=admin')
    t.match(enabled.body, { data: { length: 3 } })
    const disabled = [people.bia, people.bruno].map(async id => toRecord(await ana.get(`/members/${id}`)))
    t.equal((await Promise.all(disabled)).filter(member => member.disabled === true).length, 1)
    for (const id of [people.bia, people.bruno]) await act('enable', ana, id)

    await act('remove', ana, people.ana)
    const removals = await Promise.all([act('remove', bia, people.bruno), act('remove', bruno, people.bia)])
    t.equal(removals.filter(({ status }) => status === 204).length, 1)
  })

  await t.test('an admin whom another has just disabled demotes nobody with a request under way', async t => {
    const nora = { email: 'nora@globex.test', name: 'Nora', role: 'admin' }
    const noraId = String(toRecord(await leo.post('/members', nora)).id)
    const noras = createPerson(app, noraId)
    await noras.get('/me')
    const [disabled, demoted] = await Promise.all([
      act('disable', leo, noraId),
      noras.patch(`/members/${people.leo}`, { role: 'viewer' }),
    ])
    const left = await database.asOwner(trx =>
      trx
        .selectFrom('memberships')
        .innerJoin('users', 'users.id', 'memberships.user_id')
        .select('users.id')
        .where('workspace_id', '=', people.main.workspaceId)
        .where('role', '=', 'admin')
        .where('disabled_at', 'is', null)
        .execute(),
    )
    t.equal(left.length, 1, `${disabled.status} and ${demoted.status}`)
  })
})
