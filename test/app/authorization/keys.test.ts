import { sql } from 'kysely'
import { test } from 'tap'
import { resealAuthorization } from '../../../lib/authorization/reseal-authorization.ts'
import { createStoredKeys } from '../../../lib/authorization/stored-keys.ts'
import { createSecretBox } from '../../../lib/secrets/secret-box.ts'
import { moveClock } from '../identity/move-clock.ts'
import { openTestDatabase } from '../support/open-test-database.ts'
import {
  askForTokens,
  listTools,
  obtainTokens,
  registerClient,
  startAuthorization,
} from './start-authorization.ts'

const oldKey = 'an old key for the secrets of this test'
const newKey = 'a new key for the secrets of this test!'
const day = 86_400_000

test('keys in the database', async t => {
  const database = await openTestDatabase(t)
  const load = (...keys: string[]) => createStoredKeys(database, createSecretBox(keys)).load()

  t.test('are sealed, and no use with another key for secrets', async t => {
    await load(oldKey)
    const rows = await database.asOwner(trx => trx.selectFrom('oauth_keys').selectAll().execute())
    t.match(rows, [{ sealed: /^v1\./ }])
    await t.rejects(load(newKey), { message: /SECRETS_KEY/ })
  })

  t.test('are made once, by whoever comes first', async t => {
    await database.asOwner(trx => sql`delete from oauth_keys`.execute(trx))
    const loaded = await Promise.all([load(oldKey), load(oldKey), load(oldKey)])
    t.equal(new Set(loaded.flat().map(({ kid }) => kid)).size, 1)
  })

  t.test('are sealed anew, so that a key for secrets can be taken out', async t => {
    await resealAuthorization(database, createSecretBox([newKey, oldKey]))
    t.equal((await load(newKey)).length, 1)
  })

  t.test(
    'a new one is published an hour before it signs, and the old one as long as its tokens last',
    async t => {
      const pass = moveClock(t)
      const names = async () => (await load(newKey)).map(({ kid }) => kid)
      const [first] = await names()
      pass(90 * day + 1_000)
      const [signing, next, ...more] = await names()
      t.equal(signing, first)
      t.ok(next !== undefined && next !== first)
      t.strictSame(more, [])
      pass(3_600_000 + 1_000)
      t.strictSame(await names(), [next, first])
      pass(3_600_000 + 1_000)
      t.strictSame(await names(), [next])
    },
  )
})

test('a server whose key changes', async t => {
  const started = await startAuthorization(t)
  const replica = await startAuthorization(t, { beside: started })
  const pass = moveClock(t)
  const published = async () => {
    const { keys } = (await started.app.inject('/oauth/jwks')).json<{ keys: { kid: string }[] }>()
    return keys.map(({ kid }) => kid)
  }
  const kidOf = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid

  const before = await obtainTokens(started)
  t.match(JSON.parse(Buffer.from(before.access_token.split('.')[0] ?? '', 'base64url').toString()), {
    alg: 'EdDSA',
    typ: 'at+jwt',
    kid: String,
  })
  t.ok(Array.isArray(await listTools(replica, before.access_token)))
  pass(90 * day + 1_000)
  t.equal((await published()).length, 2)
  pass(3_600_000 - 60_000)
  const last = await obtainTokens(started)
  t.equal(kidOf(last.access_token), kidOf(before.access_token))
  pass(5 * 60_000 + 1_000)
  const after = await obtainTokens(started)
  t.not(kidOf(after.access_token), kidOf(last.access_token))
  for (const { access_token: token } of [last, after]) {
    t.ok(Array.isArray(await listTools(replica, token)), 'another replica takes both')
  }
})

test('a database that does not answer is an outage, and no error of ours', async t => {
  const started = await startAuthorization(t)
  const client = await registerClient(started)
  const { pool } = started.database
  const { connect } = pool
  const away = () =>
    Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))
  Object.assign(pool, { connect: away })
  t.teardown(() => Object.assign(pool, { connect }))
  const token = await askForTokens(started, {
    grant_type: 'refresh_token',
    client_id: client.client_id,
    refresh_token: 'x',
  })
  t.equal(token.statusCode, 503, token.body)
  t.match(token.headers['retry-after'], /^\d+$/)
  t.match(token.json(), { error: 'temporarily_unavailable' })
  const page = await started.app.inject({
    url: `/oauth/auth?client_id=${client.client_id}&response_type=code`,
    headers: { accept: 'text/html' },
  })
  t.equal(page.statusCode, 503, page.body)
  t.match(page.body, '<h1>This did not work</h1>')
  t.notMatch(page.body + token.body, /ECONNREFUSED|at .*\.(js|ts)/)
})
