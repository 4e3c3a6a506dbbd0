import { createHook } from 'node:async_hooks'
import { scryptSync } from 'node:crypto'
import { test } from 'tap'
import { endAccess } from '../../../lib/authorization/end-access.ts'
import { hashPassword, isCurrentHash } from '../../../lib/passwords/hash-password.ts'
import { passwordCost, publicUrl } from '../plumbing/start-app.ts'
import type { Teardown } from '../support/open-test-database.ts'
import { createBrowser, createCookieJar, type Page } from './browser.ts'
import { logIn, password, registerClient, startAuthorization, toFlow } from './start-authorization.ts'

test('logging in', async t => {
  const started = await startAuthorization(t)
  const { app, database, people } = started
  const client = await registerClient(started)
  const open = async () => {
    const browser = createBrowser(app)
    return { browser, page: await browser.open(toFlow(client).url) }
  }

  t.test('is refused in the same words, whatever is wrong', async t => {
    await database.asOwner(trx =>
      trx
        .updateTable('users')
        .set({ disabled_at: new Date().toISOString() })
        .where('id', '=', people.vera)
        .execute(),
    )
    const bodies = new Set<string>()
    for (const [email, given] of [
      ['nobody@acme.test', password],
      ['ana@acme.test', 'wrong'],
      ['vera@acme.test', password],
      ['bia@acme.test', password],
      ['', ''],
      ['not an address', password],
      ['ana@acme.test\0', password],
    ] as const) {
      const { browser, page } = await open()
      const answer = await browser.submit(page, { email, password: given })
      t.equal(answer.status, 403, email)
      t.match(answer.body, /role="alert"[^>]*>The e-mail address or the password is not right/)
      bodies.add(toShape(answer, email))
      t.equal(browser.cookies.value('inbox_session'), undefined)
      t.notMatch(answer.body, password)
    }
    t.equal(bodies.size, 1, 'nothing tells who has an account')
  })

  t.test('takes the same work for nobody as for somebody', async t => {
    const hashed = countHashes(t)
    for (const email of ['nobody2@acme.test', 'leo@globex.test', 'not an address']) {
      const { browser, page } = await open()
      const before = hashed()
      await browser.submit(page, { email, password: 'wrong' })
      t.equal(hashed() - before, 1, email)
    }
  })

  t.test('what was typed is shown again, and never runs', async t => {
    const { browser, page } = await open()
    const answer = await browser.submit(page, { email: '"><script>alert(1)</script>', password: 'x' })
    t.notMatch(answer.body, '<script')
    t.match(answer.body, '&quot;&gt;&lt;script&gt;')
  })

  t.test('a form without its token, or with that of another flow, is refused', async t => {
    const [mine, other] = [await open(), await open()]
    const foreign = /name="csrf" value="([^"]+)"/.exec(other.page.body)?.[1] ?? ''
    for (const csrf of [null, '', 'x', foreign]) {
      const answer = await mine.browser.submit(mine.page, { csrf, email: 'ana@acme.test', password })
      t.equal(answer.status, 403)
      t.match(answer.body, 'This form did not come from the page that it belongs to')
    }
    t.equal(mine.browser.cookies.value('inbox_session'), undefined)
  })

  t.test(
    "another browser cannot go on with somebody's flow, nor one flow's cookie serve another",
    async t => {
      const { page } = await open()
      const stranger = createBrowser(app)
      for (const url of [page.url, `${page.url}/login`, page.url.replace('/interaction/', '/auth/')]) {
        const answer = await stranger.open(toInteraction(page, url))
        t.equal(answer.status, 400)
        t.match(answer.body, 'expired')
      }
      const { browser, page: second } = await open()
      const cookie = browser.cookies.value('inbox_interaction') ?? ''
      const signature = browser.cookies.value('inbox_interaction.sig') ?? ''
      const thief = createBrowser(app, createCookieJar())
      thief.cookies.put('inbox_interaction', cookie, '/')
      thief.cookies.put('inbox_interaction.sig', signature, '/')
      t.equal((await thief.open(toInteraction(page, page.url))).status, 400, 'of another flow')
      t.equal((await thief.open(toInteraction(second, second.url))).status, 200)
      thief.cookies.put('inbox_interaction.sig', 'forged', '/')
      t.equal((await thief.open(toInteraction(second, second.url))).status, 400, 'without its signature')
    },
  )

  t.test('a session has an id that nobody knew before', async t => {
    const { browser, page } = await open()
    const planted = 'planted-by-an-attacker-000000000000000000000'
    browser.cookies.put('inbox_session', planted, '/oauth')
    await logIn(browser, page)
    const first = browser.cookies.value('inbox_session') ?? ''
    t.not(first, planted)
    t.match(first, /^[\w-]{20,}$/)
    const again = await browser.open(toFlow(client, { prompt: 'login' }).url)
    await logIn(browser, again)
    t.not(browser.cookies.value('inbox_session'), first, 'renewed at each login')
  })

  t.test('a password that is changed while it is checked opens nothing', async t => {
    const { browser, page } = await open()
    // The page that comes next is on its way when the password changes, too late to find what to end.
    const answer = await browser.submit(page, { email: 'bruno@acme.test', password }, { follow: false })
    t.equal(answer.status, 303)
    const hash = await hashPassword('another password for the tests', passwordCost)
    await database.asOwner(trx =>
      trx
        .updateTable('credentials')
        .set(({ eb }) => ({ hash, logins_ended: eb('logins_ended', '+', 1) }))
        .where('user_id', '=', people.bruno)
        .execute(),
    )
    const again = await browser.open(String(answer.headers.location))
    t.match(again.body, 'type="password"', 'the login page again')
    const right = { email: 'bruno@acme.test', password: 'another password for the tests' }
    t.match((await browser.submit(again, right)).body, 'to act for you')
    t.match((await browser.open(toFlow(client).url)).body, 'to act for you', 'the session holds')
  })

  t.test('a session that is in use while it is ended is not alive again by that', async t => {
    const { browser, page } = await open()
    t.match((await logIn(browser, page, 'leo@globex.test')).body, 'to act for you')
    // What a request that had read it before writes back.
    const sessions = await database.asOwner(trx =>
      trx
        .selectFrom('oauth_records')
        .selectAll()
        .where('user_id', '=', people.leo)
        .where('model', '=', 'Session')
        .execute(),
    )
    t.ok(sessions.length > 0)
    await database.asOwner(trx => endAccess(trx, people.leo))
    await database.asOwner(async trx => {
      for (const { data, ...session } of sessions) {
        await trx
          .insertInto('oauth_records')
          .values({ ...session, data: JSON.stringify(data) })
          .execute()
      }
    })
    const after = await browser.open(toFlow(client).url)
    t.match(after.body, 'type="password"')
    t.match((await logIn(browser, after, 'leo@globex.test')).body, 'to act for you')
  })

  t.test('a hash that costs less than today is made anew from the password that was given', async t => {
    const hashOf = async () => {
      const rows = await database.asOwner(trx =>
        trx.selectFrom('credentials').select('hash').where('user_id', '=', people.bruno).execute(),
      )
      return rows[0]?.hash ?? ''
    }
    const salt = Buffer.alloc(16, 7)
    const toText = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
    const cheap = scryptSync(password, salt, 32, { N: 16, r: 8, p: 3 })
    const old = `$scrypt$ln=4,r=8,p=3$${toText(salt)}$${toText(cheap)}`
    await database.asOwner(trx =>
      trx.updateTable('credentials').set({ hash: old }).where('user_id', '=', people.bruno).execute(),
    )
    const first = await open()
    await first.browser.submit(first.page, { email: 'bruno@acme.test', password: 'wrong' })
    t.equal(await hashOf(), old, 'a wrong password changes nothing')
    for (const _ of ['with the old hash', 'with the new one']) {
      const { browser, page } = await open()
      t.match((await logIn(browser, page, 'bruno@acme.test')).body, 'bruno@acme.test')
    }
    t.ok(isCurrentHash(await hashOf(), passwordCost))
  })

  t.test('somebody else may log in where one was logged in', async t => {
    const { browser, page } = await open()
    const consent = await logIn(browser, page, 'leo@globex.test')
    t.match(consent.body, 'leo@globex.test')
    const login = await browser.open(`${consent.url}/login`)
    const other = await logIn(browser, login, 'ana@acme.test')
    t.match(other.body, 'ana@acme.test')
    const answer = await browser.submit(other, { answer: 'allow' })
    t.match(answer.url, /^https:\/\/client\.example\.com\/callback\?code=/)
  })

  t.test('or in another tab since the page was opened', async t => {
    const { browser, page } = await open()
    const fields = { email: 'ana@acme.test', password }
    t.match(
      (await logIn(browser, await browser.open(toFlow(client).url), 'leo@globex.test')).body,
      'leo@globex',
    )
    const other = await browser.submit(page, fields)
    t.match(other.body, 'ana@acme.test')
    t.match((await browser.submit(other, { answer: 'allow' })).url, /callback\?code=/)

    // The page of a login that has ended meanwhile says so.
    const late = await browser.open(toFlow(client, { prompt: 'login' }).url)
    const prompted = await browser.open(toFlow(client, { prompt: 'login' }).url)
    t.match((await logIn(browser, prompted, 'leo@globex.test')).body, 'leo@globex.test')
    t.match(await browser.submit(late, fields), { status: 400, body: 'This page has expired' })
  })

  t.test('cancelling tells the client', async t => {
    const { browser, page } = await open()
    const answer = await app.inject({
      method: 'POST',
      url: `${new URL(page.url).pathname}/cancel`,
      headers: {
        cookie: browser.cookies.headerFor(new URL(page.url).pathname),
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: `csrf=${/name="csrf" value="([^"]+)"/.exec(page.body)?.[1]}`,
    })
    t.equal(answer.statusCode, 303)
    const end = await browser.open(answer.headers.location ?? '')
    t.equal(new URL(end.url).searchParams.get('error'), 'access_denied')
  })

  t.test('pages load nothing, run nothing, are kept nowhere and framed by nobody', async t => {
    const { page } = await open()
    t.match(page.headers, {
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
    const policy = String(page.headers['content-security-policy'])
    for (const part of [
      "default-src 'none'",
      "frame-ancestors 'none'",
      "form-action 'self' https://client.example.com",
    ]) {
      t.match(policy, part)
    }
    t.notMatch(policy, /unsafe|script-src/)
    t.notMatch(page.body, /<script|\son\w+=|https?:\/\/(?!inbox\.test)/)
  })

  t.test('a page that is opened beyond its time says so', async t => {
    const answer = await createBrowser(app).open(`${publicUrl}/oauth/interaction/unknown`)
    t.equal(answer.status, 400)
    t.match(answer.body, 'This page has expired')
  })
})

/** A page without what differs each time. */
function toShape({ body }: Page, email: string): string {
  const field = /value="[^"]*" aria-describedby/
  return body
    .replace(field, '')
    .replace(/interaction\/[\w-]+/g, '')
    .replace(/name="csrf" value="[^"]*"/, '')
    .replaceAll(email === '' ? '\0' : email, '')
}

function toInteraction(page: Page, url: string): string {
  return new URL(url, page.url).href
}

/** How often this process has derived a key from a password since. */
function countHashes(t: Teardown): () => number {
  let hashes = 0
  const hook = createHook({
    init(_id, type) {
      if (type === 'SCRYPTREQUEST') hashes++
    },
  }).enable()
  t.teardown(() => hook.disable())
  return () => hashes
}
