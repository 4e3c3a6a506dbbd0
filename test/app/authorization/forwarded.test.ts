import { test } from 'tap'
import { startApp } from '../plumbing/start-app.ts'
import { redirectUri, registerClient, startAuthorization, toFlow } from './start-authorization.ts'

const games = {
  host: 'evil.example',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'https',
  'x-forwarded-for': '203.0.113.200',
  forwarded: 'host=evil.example;proto=https',
}

for (const trustProxy of [false, true]) {
  test(`headers that say where the server is change nothing, ${trustProxy ? 'with' : 'without'} a trusted proxy`, async t => {
    const started = await startAuthorization(t, { config: { trustProxy } })
    const client = await registerClient(started)
    const flow = new URL(toFlow(client).url)
    const first = await started.app.inject({ url: `${flow.pathname}${flow.search}`, headers: games })
    t.equal(first.statusCode, 303)
    t.match(first.headers.location, /^\/oauth\/interaction\//)
    const cookies = [first.headers['set-cookie'] ?? []].flat()
    t.ok(cookies.length > 0)
    for (const cookie of cookies) {
      t.match(cookie, /; samesite=lax/i)
      t.match(cookie, /; httponly/i)
      t.notMatch(cookie, /; secure|domain=/i, 'the public URL is not https')
    }
    const cookie = cookies.map(line => line.split(';')[0]).join('; ')
    const page = await started.app.inject({
      url: first.headers.location ?? '',
      headers: { ...games, cookie },
    })
    t.equal(page.statusCode, 200)
    t.notMatch(page.body + JSON.stringify(page.headers), 'evil.example')
    const records = await started.database.asOwner(trx =>
      trx.selectFrom('oauth_records').select('data').execute(),
    )
    t.notMatch(JSON.stringify(records), 'evil.example')
    t.match(JSON.stringify(records), '"returnTo":"http://inbox.test/oauth/auth/')
  })
}

test('cookies of a public URL with https are for https, and for its path, whatever a request says', async t => {
  const { app } = await startApp(t, {
    env: { PUBLIC_URL: 'https://apps.example.com/inbox' },
    config: { authServer: true, authIssuer: 'https://apps.example.com/inbox/oauth' },
  })
  const registered = await app.inject({
    method: 'POST',
    url: '/oauth/register',
    payload: { redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
  })
  const flow = new URL(toFlow(registered.json(), { resource: null }).url)
  const answer = await app.inject({
    url: `${flow.pathname}${flow.search}`,
    headers: { 'x-forwarded-proto': 'http', host: 'evil.example' },
  })
  t.match(answer.headers.location, /^\/inbox\/oauth\/interaction\//)
  for (const cookie of [answer.headers['set-cookie'] ?? []].flat()) {
    t.match(cookie, /; secure/i)
    t.match(cookie, /path=\/inbox\/oauth\//)
  }
})
