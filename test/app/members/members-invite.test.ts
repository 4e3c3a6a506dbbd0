import { test } from 'tap'
import { z } from 'zod'
import { findAccountByEmail } from '../../../lib/people/find-account.ts'
import { startApp } from '../plumbing/start-app.ts'
import { toIds, toRecord, toRefusal, withoutRequestId } from '../resources/answers.ts'
import { createPerson } from '../resources/person.ts'

const invited = z.object({ data: z.looseObject({ id: z.string(), link: z.string() }) })
const dora = { email: 'dora@acme.test', name: 'Dora Reis', role: 'operator' }

test('people are invited', async t => {
  const { app, database, people } = await startApp(t, { env: { RATE_LIMIT_MAX: '100000' } })
  const { workspaceId } = people.billing
  const bia = createPerson(app, people.bia)
  const ana = createPerson(app, people.ana, { workspaceId })
  const inSupport = createPerson(app, people.ana, { workspaceId: people.support.workspaceId })
  const bruno = createPerson(app, people.bruno)
  const vera = createPerson(app, people.vera, { workspaceId })
  const leo = createPerson(app, people.leo)
  const everybody = () => database.asOwner(trx => trx.selectFrom('users').selectAll().execute())

  await t.test('not by operators and viewers, nor with a token that only reads', async t => {
    const reader = createPerson(app, people.bia, { scopes: ['members:read'] })
    t.equal(toRefusal(await bruno.post('/members', dora)), '403 forbidden')
    t.equal(toRefusal(await vera.post('/members', dora)), '403 forbidden')
    t.equal(toRefusal(await reader.post('/members', dora)), '403 insufficient_scope')
    t.equal((await everybody()).length, 5)
  })

  await t.test('not without an address, a name and a role, and with nothing else', async t => {
    for (const [body, path] of [
      [{ ...dora, email: 'dora' }, 'email'],
      [{ ...dora, email: 'dora@acme' }, 'email'],
      [{ ...dora, email: `${'d'.repeat(65)}@acme.test` }, 'email'],
      [{ ...dora, email: 'dora@acme.test, eva@acme.test' }, 'email'],
      [{ ...dora, email: 'dora@acme.test\r\nBcc: eva@acme.test' }, 'email'],
      [{ ...dora, name: ' ' }, 'name'],
      [{ ...dora, name: 'Do\nra' }, 'name'],
      [{ ...dora, role: 'owner' }, 'role'],
      [{ ...dora, workspace_id: people.main.workspaceId }, 'workspace_id'],
      [{ email: dora.email }, 'name, role'],
    ] as const) {
      t.equal(toRefusal(await bia.post('/members', body)), `400 validation_failed ${path}`)
    }
  })

  await t.test(
    'not where somebody of another organization has the address, of which nothing is said',
    async t => {
      const answers = [await bia.post('/members', { ...dora, email: 'LEO@globex.test' })]
      t.equal(toRefusal(answers[0] ?? (await bia.get('/me'))), '409 conflict email')
      const text = JSON.stringify(answers[0]?.body)
      for (const word of ['Leo', 'Globex', people.leo, people.globex.id]) t.notMatch(text, word)
      // Whether the account is in use, disabled or without a workspace makes no difference.
      await database.asOwner(async trx => {
        const disabled_at = '2026-01-01T00:00:00.000Z'
        await trx.updateTable('users').set({ disabled_at }).where('id', '=', people.leo).execute()
      })
      answers.push(await bia.post('/members', { ...dora, email: 'leo@globex.test' }))
      t.strictSame(...(answers.map(withoutRequestId) as [object, object]))
      await database.asOwner(trx =>
        trx.updateTable('users').set({ disabled_at: null }).where('id', '=', people.leo).execute(),
      )
      t.same(toIds(await leo.get('/members')).ids, [people.leo])
      t.equal((await everybody()).length, 5)
    },
  )

  await t.test('not where they belong to the workspace already', async t => {
    t.equal(toRefusal(await bia.post('/members', { ...dora, email: 'Bruno@acme.test' })), '409 conflict')
    t.match(toRecord(await bia.get(`/members/${people.bruno}`)), { role: 'operator', name: 'Bruno' })
  })

  await t.test('of the organization are members at once, under their own name, without a link', async t => {
    const answer = await inSupport.post('/members', {
      email: 'bruno@acme.test',
      name: 'Somebody',
      role: 'viewer',
    })
    t.match(answer, { status: 201, headers: { etag: '"1"', location: `/api/v1/members/${people.bruno}` } })
    t.strictSame(toRecord(answer), {
      id: people.bruno,
      name: 'Bruno',
      email: 'bruno@acme.test',
      role: 'viewer',
      disabled: false,
      version: 1,
      link: null,
      link_expires_at: null,
      mailed: false,
    })
    const there = createPerson(app, people.bruno, { workspaceId: people.support.workspaceId })
    t.equal((await there.get('/members')).status, 200, 'at once on this process')
    t.match(toRecord(await bia.get(`/members/${people.bruno}`)), { role: 'operator', version: 1 })
  })

  await t.test('of nobody yet get an account and a link, once: a repetition is given the same', async t => {
    const headers = { 'idempotency-key': 'invite-dora' }
    const first = await bia.post('/members', { ...dora, email: ' Dora@ACME.test ' }, headers)
    t.match(first, { status: 201, headers: { etag: '"1"' } })
    const { data } = invited.parse(first.body)
    t.match(data, { email: 'dora@acme.test', role: 'operator', mailed: false, link_expires_at: /^20/ })
    t.match(data.link, /^http:\/\/inbox\.test\/people\/link\?token=[\w-]{43}$/)
    const again = await bia.post('/members', { ...dora, email: ' Dora@ACME.test ' }, headers)
    t.match(again, { headers: { 'idempotency-replayed': 'true' }, body: first.body })
    t.equal(toRefusal(await bia.post('/members', dora)), '409 conflict')

    const token = new URL(data.link).searchParams.get('token') ?? ''
    const password = 'a password of her own'
    const set = await app.inject({
      method: 'POST',
      url: '/people/link',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ token, password }).toString(),
    })
    t.equal(set.statusCode, 200)
    t.match(await findAccountByEmail(database, 'dora@acme.test'), {
      userId: data.id,
      organizationId: people.acme.id,
      passwordHash: /^\$scrypt\$/,
    })
    t.equal((await createPerson(app, data.id).get('/emails')).status, 200)

    await t.test('of which neither the audit trail nor the database has the link', async t => {
      await app.auditSettled()
      const events = await database.asOwner(trx => trx.selectFrom('audit_events').selectAll().execute())
      t.match(
        events.find(event => event.action === 'members_invite' && event.resource_id === data.id),
        { outcome: 'succeeded', resource_type: 'member', workspace_id: workspaceId },
      )
      const kept = await database.asOwner(trx => trx.selectFrom('idempotency_keys').selectAll().execute())
      const links = await database.asOwner(trx => trx.selectFrom('account_links').selectAll().execute())
      t.ok(kept.length > 0)
      t.notMatch(JSON.stringify([events, kept, links]), token)
    })
  })

  await t.test('by two admins at once become one person', async t => {
    const eva = { email: 'eva@acme.test', name: 'Eva', role: 'viewer' }
    const both = await Promise.all([bia.post('/members', eva), ana.post('/members', eva)])
    t.same(both.map(({ status }) => status).sort(), [201, 409])
    const apart = { email: 'ivo@acme.test', name: 'Ivo', role: 'viewer' }
    const places = await Promise.all([bia.post('/members', apart), inSupport.post('/members', apart)])
    t.same(
      places.map(({ status }) => status),
      [201, 201],
      'each into a workspace of its own',
    )
    t.equal(new Set(places.map(answer => toRecord(answer).id)).size, 1)
  })

  await t.test('not without end: an organization has a hundred open links at most', async t => {
    await database.asOwner(async trx => {
      const expires_at = new Date(Date.now() + 3_600_000).toISOString()
      const links = Array.from({ length: 100 }, (_, index) => ({
        hash: index.toString(16).padStart(64, '0'),
        organization_id: people.acme.id,
        user_id: people.vera,
        purpose: 'reset' as const,
        expires_at,
      }))
      await trx.insertInto('account_links').values(links).execute()
    })
    const before = (await everybody()).length
    t.equal(toRefusal(await bia.post('/members', { ...dora, email: 'flo@acme.test' })), '409 conflict')
    t.equal((await everybody()).length, before, 'and no account is left behind')
    t.equal((await leo.post('/members', { ...dora, email: 'flo@globex.test' })).status, 201)
  })
})
