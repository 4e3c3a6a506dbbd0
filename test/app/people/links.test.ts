import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { test } from 'tap'
import type { Database } from '../../../lib/database/database.ts'
import { passwordMatches } from '../../../lib/passwords/hash-password.ts'
import { createLinkFor } from '../../../lib/people/create-link-for.ts'
import { findAccountByEmail } from '../../../lib/people/find-account.ts'
import { createLinkToken } from '../../../lib/people/link-token.ts'
import { passwordCost, publicUrl, startApp } from '../plumbing/start-app.ts'

const password = 'three words & <b>more</b>'

test('one-time links', async t => {
  const { app, database, people } = await startApp(t, { env: { RATE_LIMIT_MAX: '100000' } })
  const newLink = (userId = people.ana) =>
    createLinkFor(database, { userId, organizationId: people.acme.id }).then(({ token }) => token)
  const hashOf = async (email: string) => (await findAccountByEmail(database, email))?.passwordHash ?? null

  await t.test(
    'that are unknown, used, past their time or of a disabled account are one and the same page',
    async t => {
      const used = await newLink()
      t.equal((await post(app, { token: used, password })).statusCode, 200)
      const replaced = await newLink(people.bruno)
      const late = await newLink(people.bruno)
      await pass(database, '73 hours')
      const disabled = await newLink(people.bia)
      await database.asOwner(trx =>
        trx
          .updateTable('users')
          .set({ disabled_at: '2026-01-01T00:00:00.000Z' })
          .where('id', '=', people.bia)
          .execute(),
      )
      const bodies = new Set<string>()
      const before = await hashOf('ana@acme.test')
      for (const token of [
        used,
        replaced,
        late,
        disabled,
        createLinkToken(),
        '',
        'x',
        `${late}\0`,
        'é'.repeat(43),
      ]) {
        for (const response of [
          await get(app, token),
          await post(app, { token, password: 'another password' }),
        ]) {
          t.equal(response.statusCode, 410)
          bodies.add(response.body)
        }
      }
      t.equal((await app.inject('/people/link')).statusCode, 410)
      t.equal((await post(app, {})).statusCode, 410)
      t.equal(bodies.size, 1)
      t.equal(await hashOf('ana@acme.test'), before)
      t.same([await hashOf('bruno@acme.test'), await hashOf('bia@acme.test')], [null, null])
    },
  )

  await t.test('refuse a password that is none, beside the field, and stay good', async t => {
    const token = await newLink()
    for (const [wrong, fault] of [
      ['short', 'must have at least 12 characters'],
      ['ana@acme.test', 'must not be the e-mail address'],
      ['x'.repeat(201), 'must have at most 200 characters'],
      ['aaaaaaaaaaaaaaa', 'must not repeat'],
    ] as const) {
      const response = await post(app, { token, password: wrong })
      t.equal(response.statusCode, 400)
      t.match(response.body, new RegExp(`<p class="error" id="fault" role="alert">The password ${fault}`))
      t.match(response.body, /aria-invalid="true" aria-describedby="fault rules"/)
      t.match(response.body, `name="token" value="${token}"`)
      t.notMatch(response.body, /type="password"[^>]* value=/)
    }
    t.equal((await get(app, token)).statusCode, 200)
  })

  await t.test('refuse other bodies than a form, and one that is too large, as a page', async t => {
    const json = await app.inject({ method: 'POST', url: '/people/link', payload: { token: 'x' } })
    t.equal(json.statusCode, 410, 'what is no link, whatever its form')
    const plain = { 'content-type': 'text/xml' }
    const xml = await app.inject({ method: 'POST', url: '/people/link', headers: plain, payload: '<a/>' })
    t.equal(xml.statusCode, 415)
    const large = await post(app, { token: 'x', password: 'x'.repeat(20_000) })
    t.equal(large.statusCode, 413)
    for (const response of [xml, large]) t.match(response.headers['content-type'], 'text/html')
  })

  await t.test('open as often as scanners like, as a page that loads nothing and tells nobody', async t => {
    const token = await newLink()
    for (let time = 0; time < 3; time++) {
      const response = await get(app, token)
      t.equal(response.statusCode, 200)
      t.match(response.body, /Choose a new password/)
      t.match(response.body, 'ana@acme.test')
      t.notMatch(response.body, /<script|https?:|src=/)
      t.match(response.headers, {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'content-security-policy':
          /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
      })
    }
    t.equal((await app.inject({ method: 'HEAD', url: `/people/link?token=${token}` })).statusCode, 200)
    t.equal((await post(app, { token, password })).statusCode, 200)
  })

  await t.test('show what people are called as text', async t => {
    await database.asOwner(trx =>
      trx
        .updateTable('organizations')
        .set({ name: '<i>"A" & Co' })
        .where('id', '=', people.acme.id)
        .execute(),
    )
    t.match((await get(app, await newLink())).body, '<dd>&lt;i&gt;&quot;A&quot; &amp; Co</dd>')
  })

  await t.test('set the password that was sent, once, and say so in the audit trail', async t => {
    const token = await newLink(people.vera)
    t.match((await get(app, token)).body, /<h1>Choose a password/)
    const response = await post(app, { token, password })
    t.equal(response.statusCode, 200)
    t.match(response.body, /The password is set/)
    t.match(response.body, `<dd>${publicUrl}/mcp</dd>`, 'where to go from here')
    t.notMatch(response.body, token)
    t.equal(await passwordMatches(password, await hashOf('vera@acme.test'), passwordCost), true)
    t.equal((await post(app, { token, password: 'one more password' })).statusCode, 410)
    t.equal(await passwordMatches(password, await hashOf('vera@acme.test'), passwordCost), true)
    const events = await database.asOwner(trx =>
      trx.selectFrom('audit_events').selectAll().where('resource_id', '=', people.vera).execute(),
    )
    t.match(events.at(-1), { action: 'person.set_password', via: 'system', workspace_id: null })
    t.notMatch(JSON.stringify(events), token)
  })

  await t.test('of one person end with the first that is used, also when two are sent at once', async t => {
    const token = await newLink(people.vera)
    const answers = await Promise.all(
      ['first password here', 'second password here', 'third password here'].map(chosen =>
        post(app, { token, password: chosen }),
      ),
    )
    t.same(answers.map(({ statusCode }) => statusCode).sort(), [200, 410, 410])
  })

  await t.test('are found below the path of a public URL, whether a proxy takes it away or not', async t => {
    const below = await startApp(t, {
      beside: { database, people },
      env: { PUBLIC_URL: 'https://acme.example/inbox' },
    })
    const token = await newLink()
    for (const path of ['/people/link', '/inbox/people/link']) {
      t.equal((await below.app.inject(`${path}?token=${token}`)).statusCode, 200)
    }
  })
})

test('an address that tries links out is stopped, with the time to wait', async t => {
  const { app, database, people } = await startApp(t, { env: { RATE_LIMIT_MAX: '100' } })
  for (let time = 0; time < 10; time++) t.equal((await get(app, createLinkToken())).statusCode, 410)
  const { token } = await createLinkFor(database, { userId: people.ana, organizationId: people.acme.id })
  const refused = await get(app, token)
  t.equal(refused.statusCode, 429)
  t.match(refused.headers, { 'retry-after': /^\d+$/, 'content-type': 'text/html; charset=utf-8' })
  t.match(refused.body, /role="alert"/)
  const elsewhere = await app.inject({ url: `/people/link?token=${token}`, remoteAddress: '192.0.2.9' })
  t.equal(elsewhere.statusCode, 200)
})

function get(app: FastifyInstance, token: string) {
  return app.inject(`/people/link?token=${encodeURIComponent(token)}`)
}

function post(app: FastifyInstance, form: Record<string, string>) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const payload = new URLSearchParams(form).toString()
  return app.inject({ method: 'POST', url: '/people/link', headers, payload })
}

/** As if every link had been made earlier by so much. */
async function pass(database: Database, time: string): Promise<void> {
  await database.asOwner(trx =>
    sql`update account_links set expires_at = expires_at - ${time}::interval`.execute(trx),
  )
}
