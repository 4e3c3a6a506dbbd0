import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { AdapterPayload } from 'oidc-provider'
import { test } from 'tap'
import { createAdapter } from '../../../lib/authorization/adapter.ts'
import { purgeAuthorization } from '../../../lib/authorization/purge-authorization.ts'
import { createSecretBox } from '../../../lib/secrets/secret-box.ts'
import { secretsKey } from '../plumbing/start-app.ts'
import { openTestDatabase } from '../support/open-test-database.ts'
import { seedTwoOrganizations } from '../support/seed-two-organizations.ts'
import {
  agree,
  exchange,
  listTools,
  obtainTokens,
  refresh,
  registerClient,
  startAuthorization,
  toFlow,
} from './start-authorization.ts'

test('several replicas on one database', async t => {
  const first = await startAuthorization(t)
  const second = await startAuthorization(t, { beside: first })

  t.test('each goes on with what another began, and takes its tokens', async t => {
    const client = await registerClient(first)
    const flow = toFlow(client)
    const code = (await agree(second, flow)).searchParams.get('code')
    const tokens = (await exchange(first, client, { code, flow })).json()
    t.ok(Array.isArray(await listTools(second, tokens.access_token)))
    const renewed = (await refresh(second, client, tokens.refresh_token)).json()
    t.ok(Array.isArray(await listTools(first, renewed.access_token)))
  })

  t.test('a code that is raced gives tokens once at most, which then end', async t => {
    const client = await registerClient(first)
    const flow = toFlow(client)
    const code = (await agree(first, flow)).searchParams.get('code')
    const answers = await Promise.all(
      [first, second, first, second].map(replica => exchange(replica, client, { code, flow })),
    )
    const won = answers.filter(({ statusCode }) => statusCode === 200)
    t.ok(won.length <= 1, String(answers.map(({ statusCode }) => statusCode)))
    for (const answer of answers)
      if (!won.includes(answer)) t.match(answer.json(), { error: 'invalid_grant' })
    for (const answer of won) {
      const { refresh_token: token } = answer.json()
      t.equal((await refresh(first, client, token)).statusCode, 400, 'the race was a replay')
    }
  })

  t.test('a refresh token that is raced is used once at most, and its line ends', async t => {
    const { client, refresh_token: token } = await obtainTokens(first)
    const answers = await Promise.all(
      [first, second, first, second].map(each => refresh(each, client, token)),
    )
    const won = answers.filter(({ statusCode }) => statusCode === 200)
    t.ok(won.length <= 1, String(answers.map(({ statusCode }) => statusCode)))
    for (const answer of won) {
      t.equal((await refresh(second, client, answer.json().refresh_token)).statusCode, 400)
    }
  })
})

test('what is kept', async t => {
  const database = await openTestDatabase(t)
  const { ana, leo } = await seedTwoOrganizations(database)
  const ended: string[] = []
  const secretBox = createSecretBox([secretsKey])
  const adapter = createAdapter({ database, secretBox, onEnd: id => ended.push(id) })
  const rows = () => database.asOwner(trx => trx.selectFrom('oauth_records').selectAll().execute())

  t.test('lets nobody in who reads it', async t => {
    const secrets = ['RefreshToken', 'AuthorizationCode', 'Session', 'Interaction'].map(kind => ({
      kind,
      id: randomBytes(32).toString('base64url'),
    }))
    for (const { kind, id } of secrets) {
      const payload: AdapterPayload = { kind, jti: id, accountId: ana, grantId: 'g' }
      await adapter(kind).upsert(id, payload, 60)
    }
    const cookie = randomBytes(32).toString('base64url')
    const session = { accountId: leo, uid: 'uid', cookie }
    await adapter('Interaction').upsert(
      'interaction',
      { kind: 'Interaction', jti: 'interaction', session },
      60,
    )
    const text = JSON.stringify(await rows())
    for (const { id } of secrets) t.notMatch(text, id)
    t.notMatch(text, cookie)
    for (const { kind, id } of secrets)
      t.match(await adapter(kind).find(id), { jti: id, kind, accountId: ana })
    t.equal(
      await adapter('RefreshToken').find(secrets[1]?.id ?? ''),
      undefined,
      'of one kind is not of another',
    )
  })

  t.test('the application has no right on any of it', async t => {
    for (const table of ['oauth_records', 'oauth_grants', 'oauth_clients', 'oauth_keys']) {
      const tenant = { organizationId: 'org', workspaceId: 'wsp' }
      const read = database.inTenant(tenant, trx => sql`select * from ${sql.table(table)}`.execute(trx))
      await t.rejects(read, { code: '42501' }, table)
    }
  })

  t.test('is used once, however many come at once; coming again ends what it led to', async t => {
    const tokens = adapter('RefreshToken')
    await adapter('Grant').upsert('grant', { kind: 'Grant', accountId: ana, clientId: 'client' }, 60)
    for (const id of ['raced', 'other'])
      await tokens.upsert(id, { kind: 'RefreshToken', jti: id, grantId: 'grant', accountId: ana }, 60)
    const results = await Promise.allSettled([1, 2, 3, 4, 5].map(() => tokens.consume('raced')))
    t.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    t.ok(ended.includes('grant'))
    t.equal(await tokens.find('other'), undefined)
    t.equal(await adapter('Grant').find('grant'), undefined)
  })

  t.test('says that it was used', async t => {
    const codes = adapter('AuthorizationCode')
    await codes.upsert('code', { kind: 'AuthorizationCode', jti: 'code', accountId: ana }, 60)
    t.notMatch(await codes.find('code'), { consumed: Number })
    await codes.consume('code')
    t.match(await codes.find('code'), { consumed: Number })
  })

  t.test('a session is found by its other name, without its id', async t => {
    const payload: AdapterPayload & { uid: string } = {
      kind: 'Session',
      jti: 'cookie',
      uid: 'name',
      accountId: leo,
    }
    await adapter('Session').upsert('cookie', payload, 60)
    const found = await adapter('Session').findByUid('name')
    t.match(found, { accountId: leo })
    t.notMatch(JSON.stringify(found), 'cookie')
  })

  t.test('goes with its person', async t => {
    await database.asOwner(trx => trx.deleteFrom('users').where('id', '=', leo).execute())
    t.equal(await adapter('Session').find('cookie'), undefined)
  })

  t.test('is purged a day after its end, and clients that nobody uses', async t => {
    await database.asOwner(async trx => {
      await sql`delete from oauth_records`.execute(trx)
      await sql`insert into oauth_records (model, id_hash, data, expires_at)
        select 'Session', encode(sha256(n::text::bytea), 'hex'), '{}', now() - n * interval '12 hours' + interval '1 hour'
        from generate_series(1, 1200) n`.execute(trx)
      await sql`insert into oauth_grants (id, user_id, client_id, data, expires_at) values
        ('old', ${ana}, 'c', '{}', now() - interval '2 days'), ('new', ${ana}, 'c', '{}', now())`.execute(trx)
      await sql`insert into oauth_clients (id, data, created_at, last_used_at) values
        ('fresh', '{}', now(), null), ('never used', '{}', now() - interval '25 hours', null),
        ('in use', '{}', now() - interval '1 year', now() - interval '80 days'),
        ('left', '{}', now() - interval '1 year', now() - interval '92 days')`.execute(trx)
      await sql`insert into oauth_keys (id, sealed, active_from) values
        ('first', 's', now() - interval '200 days'), ('second', 's', now() - interval '2 days'),
        ('third', 's', now() + interval '1 hour')`.execute(trx)
    })
    const counts = await purgeAuthorization(database, new AbortController().signal)
    t.strictSame(counts, { oauth_records: 1198, oauth_grants: 1, oauth_clients: 2, oauth_keys: 1 })
    const left = await database.asOwner(async trx => ({
      clients: (await trx.selectFrom('oauth_clients').select('id').orderBy('id').execute()).map(
        ({ id }) => id,
      ),
      keys: (await trx.selectFrom('oauth_keys').select('id').orderBy('id').execute()).map(({ id }) => id),
    }))
    t.strictSame(left, { clients: ['fresh', 'in use'], keys: ['second', 'third'] })
  })
})
