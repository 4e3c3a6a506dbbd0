import { test } from 'tap'
import { endAccess } from '../../../lib/authorization/end-access.ts'
import { moveClock } from '../identity/move-clock.ts'
import { createBrowser } from './browser.ts'
import {
  agree,
  issuer,
  listTools,
  obtainTokens,
  refresh,
  registerClient,
  startAuthorization,
  toClaims,
  toFlow,
} from './start-authorization.ts'

test('what was given ends', async t => {
  const started = await startAuthorization(t)
  const replica = await startAuthorization(t, { beside: started })
  const { app, database, people } = started
  const pass = moveClock(t)
  const works = async (where: typeof started, token: string) => Array.isArray(await listTools(where, token))

  t.test(
    'when a client revokes its refresh token: here at once, on other replicas within 30 seconds',
    async t => {
      const { client, access_token: token, refresh_token: refreshToken } = await obtainTokens(started)
      t.ok((await works(started, token)) && (await works(replica, token)))
      const revoke = (clientId: string) =>
        app.inject({
          method: 'POST',
          url: '/oauth/revoke',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          payload: new URLSearchParams({ token: refreshToken, client_id: clientId }).toString(),
        })
      const stranger = await registerClient(started)
      t.equal((await revoke(stranger.client_id)).statusCode, 200)
      t.ok(await works(started, token), 'not by another client')
      t.equal((await revoke(client.client_id)).statusCode, 200)
      t.notOk(await works(started, token))
      pass(31_000)
      t.notOk(await works(replica, token))
      t.equal((await refresh(started, client, refreshToken)).statusCode, 400)
    },
  )

  t.test('when a person is disabled, who then logs in no more either', async t => {
    const browser = createBrowser(app)
    const given = { email: 'bruno@acme.test', browser }
    const { client, access_token: token, refresh_token: refreshToken } = await obtainTokens(started, given)
    t.ok(await works(started, token))
    const set = (time: string | null) =>
      database.asOwner(trx =>
        trx.updateTable('users').set({ disabled_at: time }).where('id', '=', people.bruno).execute(),
      )
    await set(new Date().toISOString())
    pass(31_000)
    t.notOk(await works(started, token))
    t.match((await refresh(started, client, refreshToken)).json(), { error: 'invalid_grant' })
    const page = await browser.open(toFlow(client).url)
    t.match(page.body, 'type="password"', 'the session in the browser is worth nothing')
    await set(null)
  })

  t.test("when a person's access is ended: sessions, consents, codes and refresh tokens", async t => {
    const browser = createBrowser(app)
    const given = { email: 'leo@globex.test', browser }
    const { client, access_token: token, refresh_token: refreshToken } = await obtainTokens(started, given)
    const other = await obtainTokens(started)
    await database.asOwner(trx => endAccess(trx, people.leo))
    t.match((await refresh(started, client, refreshToken)).json(), { error: 'invalid_grant' })
    pass(31_000)
    t.notOk(await works(started, token))
    t.match((await browser.open(toFlow(client).url)).body, 'type="password"')
    t.ok(await works(started, other.access_token), 'of nobody else')
  })

  t.test('by itself: tokens after minutes, refresh tokens after days, consents after months', async t => {
    const { client, access_token: token, refresh_token: first } = await obtainTokens(started)
    pass(10 * 60_000 + 6_000)
    t.notOk(await works(started, token))
    let current = first
    for (let day = 0; day < 4; day++) {
      pass(22 * 86_400_000)
      const response = await refresh(started, client, current)
      t.equal(response.statusCode, 200, response.body)
      current = response.json().refresh_token
    }
    pass(3 * 86_400_000)
    t.match(
      (await refresh(started, client, current)).json(),
      { error: 'invalid_grant' },
      'after 90 days in all',
    )
    const unused = await obtainTokens(started)
    pass(30 * 86_400_000 + 6_000)
    t.match((await refresh(started, unused.client, unused.refresh_token)).json(), { error: 'invalid_grant' })
  })

  t.test('a session in a browser lasts twelve hours', async t => {
    const browser = createBrowser(app)
    const client = await registerClient(started)
    await agree(started, toFlow(client), { browser })
    pass(11 * 3_600_000)
    t.match((await browser.open(toFlow(client).url)).url, 'code=')
    pass(3_600_000 + 6_000)
    t.match((await browser.open(toFlow(client).url)).body, 'type="password"')
  })

  t.test('a token names its consent, its issuer and nothing that would let anybody in', async t => {
    const { access_token: token } = await obtainTokens(started)
    const claims = toClaims(token)
    t.match(claims, { iss: issuer, grant_id: String })
    t.strictSame(Object.keys(claims).sort(), [
      'aud',
      'client_id',
      'exp',
      'grant_id',
      'iat',
      'iss',
      'jti',
      'scope',
      'sub',
      'workspace_id',
    ])
  })
})
