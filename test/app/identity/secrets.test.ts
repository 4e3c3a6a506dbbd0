import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { test } from 'tap'
import { z } from 'zod'
import { createLog } from '../../../lib/log/log.ts'
import { findAccountByEmail } from '../../../lib/people/find-account.ts'
import { createBrowser } from '../authorization/browser.ts'
import {
  agree,
  exchange,
  logIn,
  password,
  refresh,
  registerClient,
  startAuthorization,
  type Tokens,
  toFlow,
} from '../authorization/start-authorization.ts'
import { createAgent, yes } from '../confirmation/agent.ts'
import { bearer, type StartedApp, startApp } from '../plumbing/start-app.ts'
import { toRecord } from '../resources/answers.ts'
import { createPerson } from '../resources/person.ts'
import { alter } from '../support/alter.ts'

// One run through everything that has a secret in it, with the log at its most talkative; then each of them is looked
// for in the log, in the audit trail, in the database, and in what others are answered.

const withLink = z.looseObject({ link: z.string() })

interface Run {
  /** With an authorization server. */
  readonly started: StartedApp
  readonly api: StartedApp
  /** What must be found nowhere, by what it is. */
  readonly secrets: Map<string, string>
}

test('no secret is in the log, the audit trail, the database or the answers to others', async t => {
  const lines: string[] = []
  const log = createLog('trace', { write: line => void lines.push(line) })
  const started = await startAuthorization(t, { log, env: { RATE_LIMIT_MAX: '100000' } })
  // Beside it, one that takes the tokens of these tests.
  const api = await startApp(t, { beside: started, log, env: { RATE_LIMIT_MAX: '100000' } })
  const { app, database, people } = api
  await app.jobs.start()
  t.teardown(() => app.jobs.stop())
  const run = { started, api, secrets: new Map<string, string>([['password', password]]) }

  await logInAndOut(run)
  await useLinks(run)
  await useApiKeys(run)
  await useWebhooks(run)
  await beRefused(run)
  await fail(run)
  await app.auditSettled()
  await started.app.auditSettled()

  const anas = { workspaceId: people.billing.workspaceId }
  const answers: string[] = []
  for (const person of [createPerson(app, people.ana, anas), createPerson(app, people.leo)]) {
    for (const path of [
      '/me',
      '/members',
      '/api-keys',
      '/webhooks',
      '/deliveries',
      '/audit-events?limit=100',
    ]) {
      answers.push(JSON.stringify((await person.get(path)).body))
    }
  }
  const { rows: tables } = await database.asOwner(trx =>
    sql<{ name: string }>`select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r'`.execute(trx),
  )
  const stored: string[] = []
  for (const { name } of tables) {
    const { rows } = await database.asOwner(trx => sql`select t::text from ${sql.table(name)} t`.execute(trx))
    stored.push(JSON.stringify(rows))
  }
  const audit = await database.asOwner(trx => trx.selectFrom('audit_events').selectAll().execute())

  t.ok(run.secrets.size >= 20, `${run.secrets.size} secrets`)
  const heard = {
    log: lines.join(''),
    audit: JSON.stringify(audit),
    answers: answers.join(),
    stored: stored.join(),
  }
  // Where nothing is written, nothing is found either.
  t.ok(lines.length > 100 && audit.length > 10 && answers.length === 12)
  t.match(heard.log, /"url":"\/people\/link"/)
  t.match(heard.log, /token refused/)
  t.match(heard.log, /"level":50/)
  for (const [what, secret] of run.secrets) {
    t.ok(secret.length >= 10, what)
    for (const [place, text] of Object.entries(heard))
      t.notOk(text.includes(secret), `${what} in the ${place}`)
  }
})

/** The whole login in a browser, a wrong password before it, tokens, refreshed ones, and what reuse ends. */
async function logInAndOut({ started, secrets }: Run): Promise<void> {
  const { app } = started
  const client = await registerClient(started, { token_endpoint_auth_method: 'client_secret_basic' })
  keep(secrets, { 'client secret': client.client_secret })
  const open = await registerClient(started)
  const flow = toFlow(open)
  const browser = createBrowser(app)
  const login = await browser.open(flow.url)
  keep(secrets, { 'wrong password': 'not the right password' })
  await browser.submit(login, { email: 'ana@acme.test', password: 'not the right password' })
  await logIn(browser, login)
  const answer = await agree(started, flow, { browser })
  const code = answer.searchParams.get('code')
  const first: Tokens = (await exchange(started, open, { code, flow })).json()
  const second: Tokens = (await refresh(started, open, first.refresh_token)).json()
  await refresh(started, open, first.refresh_token)
  await exchange(started, open, { code, flow })
  keep(secrets, { code, verifier: flow.verifier })
  keep(secrets, { 'access token': first.access_token, 'refresh token': first.refresh_token })
  keep(secrets, { 'second access token': second.access_token, 'second refresh token': second.refresh_token })
  keep(secrets, { session: browser.cookies.headerFor('/oauth').split('; ')[0]?.split('=')[1] })
}

/** An invitation and a new password, each by a link that is opened, refused once and used. */
async function useLinks({ api: { app, database, people }, secrets }: Run): Promise<void> {
  const bia = createPerson(app, people.bia)
  const invite = { email: 'dora@acme.test', name: 'Dora', role: 'viewer' }
  const invited = toRecord(await bia.post('/members', invite, { 'idempotency-key': 'invitation' }))
  await bia.post('/members', invite, { 'idempotency-key': 'invitation' })
  const reset = toRecord(await bia.post(`/members/${people.bruno}/password-resets`))
  for (const [what, record] of [
    ['invitation', invited],
    ['reset', reset],
  ] as const) {
    const token = new URL(withLink.parse(record).link).searchParams.get('token') ?? ''
    const chosen = `chosen for the ${what} alone`
    keep(secrets, {
      [`${what} link`]: token,
      [`${what} password`]: chosen,
      [`${what} short`]: `short one ${what[0]}`,
    })
    await app.inject(`/people/link?token=${token}`)
    for (const attempt of [`short one ${what[0]}`, chosen, chosen])
      await sendForm(app, { token, password: attempt })
  }
  const account = await findAccountByEmail(database, 'dora@acme.test')
  if (account?.passwordHash === null) throw new Error('the password was not set')
}

async function useApiKeys({ api: { app, people }, secrets }: Run): Promise<void> {
  const created = await createPerson(app, people.bia).post('/api-keys', {
    name: 'A',
    scopes: ['emails:read'],
  })
  const { key } = z.looseObject({ key: z.string() }).parse(toRecord(created))
  keep(secrets, { 'API key': key })
  const headers = { authorization: `Bearer ${key}` }
  await app.inject({ url: '/api/v1/emails', headers })
  await app.inject({ url: '/api/v1/webhooks', headers })
  await app.inject({
    method: 'POST',
    url: '/mcp',
    headers,
    payload: { jsonrpc: '2.0', id: 1, method: 'ping' },
  })
  await app.inject({ url: `/api/v1/emails?api_key=${key}` })
}

/** Over REST and, confirmed, as a tool. */
async function useWebhooks({ api: { app, people }, secrets }: Run): Promise<void> {
  const bia = createPerson(app, people.bia)
  const agent = createAgent(app, people.bia)
  const withSecret = z.looseObject({ id: z.string(), secret: z.string() })
  const wanted = { url: 'https://hooks.example.com/', event_types: ['email.processed'] }
  const made = withSecret.parse(
    toRecord(await bia.post('/webhooks', wanted, { 'idempotency-key': 'webhook' })),
  )
  const path = `/webhooks/${made.id}/rotate-secret`
  const rotated = withSecret.parse(toRecord(await bia.post(path, { overlap_hours: 1 })))
  const question = await agent.call('webhooks_rotate_secret', { id: made.id })
  const done = await agent.call(
    'webhooks_rotate_secret',
    { id: made.id },
    { state: question.state, responses: yes },
  )
  const agents = z.object({ data: withSecret }).parse(JSON.parse(done.text)).data
  keep(secrets, {
    'webhook secret': made.secret,
    'rotated secret': rotated.secret,
    "agent's secret": agents.secret,
  })
  keep(secrets, { 'request state': question.state })
  const forged = alter(question.state, -4)
  await agent.call('webhooks_rotate_secret', { id: made.id }, { state: forged, responses: yes })
  keep(secrets, { 'forged state': forged })
}

/** Tokens that are none, in every place where people put them. */
async function beRefused({ api: { app, people }, secrets }: Run): Promise<void> {
  const { authorization } = bearer(people.ana, { lifetime: 1 })
  const token = authorization.replace('Bearer ', '')
  const tampered = alter(token, -6)
  keep(secrets, { 'good token': token, 'tampered token': tampered })
  for (const url of ['/api/v1/me', '/mcp', '/nowhere', `/api/v1/me?access_token=${token}`]) {
    await app.inject({ method: 'POST', url, headers: { authorization: `Bearer ${tampered}` }, payload: {} })
    await app.inject({ url, headers: { authorization: `Bearer ${tampered}`, cookie: `session=${tampered}` } })
  }
  const headers = { 'content-type': 'application/json', authorization }
  await app.inject({ method: 'POST', url: '/mcp', headers, payload: `{"token":"${token}"` })
}

/** What fails on our side is logged with what the database says of it. */
async function fail({ api: { app, database, people }, secrets }: Run): Promise<void> {
  const reset = await createPerson(app, people.bia).post(`/members/${people.bruno}/password-resets`)
  const token = new URL(withLink.parse(toRecord(reset)).link).searchParams.get('token') ?? ''
  const chosen = 'a password that is never stored'
  keep(secrets, { 'link of a failure': token, 'password of a failure': chosen })
  const rename = (from: string, to: string) =>
    database.asOwner(trx => sql`alter table ${sql.table(from)} rename to ${sql.id(to)}`.execute(trx))
  await rename('credentials', 'credentials_away')
  const failed = await sendForm(app, { token, password: chosen })
  if (failed.statusCode !== 500) throw new Error(`${failed.statusCode} where the table is away`)
  await rename('credentials_away', 'credentials')
}

function sendForm(app: FastifyInstance, form: Record<string, string>) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const payload = new URLSearchParams(form).toString()
  return app.inject({ method: 'POST', url: '/people/link', headers, payload })
}

function keep(secrets: Run['secrets'], found: Readonly<Record<string, string | null | undefined>>): void {
  for (const [what, secret] of Object.entries(found)) {
    if (!secret) throw new Error(`there is no ${what}`)
    secrets.set(what, secret)
  }
}
