import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Test, test } from 'tap'
import { z } from 'zod'
import { openDatabase } from '../../../lib/database/open-database.ts'
import { hashPassword } from '../../../lib/passwords/hash-password.ts'
import { toProgram } from '../../project.ts'
import { passwordCost, secretsKey } from '../plumbing/start-app.ts'
import { createTestLocation } from '../support/open-test-database.ts'
import { seedTwoOrganizations } from '../support/seed-two-organizations.ts'
import { createBrowser } from './browser.ts'
import { findPort } from './listen.ts'
import { password, redirectUri, toFlow } from './start-authorization.ts'

/** What is used of the answers; what an answer does not have is empty. */
const answerSchema = z.object({
  client_id: z.string().default(''),
  client_secret: z.string().default(''),
  access_token: z.string().default(''),
  refresh_token: z.string().default(''),
})

test('the log of a whole login, at its most talkative, has no secret of it', async t => {
  const { url, stop } = await startServer(t)
  const post = async (path: string, body: URLSearchParams | string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}${path}`, { method: 'POST', body, headers })
    return { status: response.status, answer: answerSchema.parse(await response.json()) }
  }
  const { answer: client } = await post(
    '/oauth/register',
    JSON.stringify({
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'client_secret_post',
    }),
    { 'content-type': 'application/json' },
  )
  const flow = toFlow(client, { resource: `${url}/mcp` })
  const browser = createBrowser(url)
  const login = await browser.open(`${url}/oauth/auth${new URL(flow.url).search}`)
  const wrong = await browser.submit(login, { email: 'ana@acme.test', password: 'a wrong password' })
  const consent = await browser.submit(wrong, { email: 'ana@acme.test', password })
  const allowed = await browser.submit(consent, { answer: 'allow' })
  const code = new URL(allowed.url).searchParams.get('code') ?? ''
  const given = { client_id: client.client_id, client_secret: client.client_secret }
  const ask = (fields: Record<string, string>) =>
    post('/oauth/token', new URLSearchParams({ ...given, ...fields }))
  const exchange = {
    grant_type: 'authorization_code',
    code,
    code_verifier: flow.verifier,
    redirect_uri: redirectUri,
  }
  const { answer: first } = await ask(exchange)
  const renewed = await ask({ grant_type: 'refresh_token', refresh_token: first.refresh_token })
  const { answer: second } = renewed
  t.match(renewed, { status: 200, answer: { access_token: /^eyJ/ } })
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const authorization = { authorization: `Bearer ${second.access_token}`, 'content-type': 'application/json' }
  t.match(await post('/mcp', JSON.stringify(call), authorization), { status: 200 })
  t.match(await ask(exchange), { status: 400 })

  const log = await stop()
  for (const said of [
    'client registered',
    'login refused',
    'a person logged in',
    'token issued',
    'token refused',
  ]) {
    t.match(log, said)
  }
  const secrets = {
    password,
    'wrong password': 'a wrong password',
    code,
    'code verifier': flow.verifier,
    'client secret': client.client_secret,
    'access token': first.access_token,
    'second access token': second.access_token,
    'refresh token': first.refresh_token,
    'second refresh token': second.refresh_token,
    session: browser.cookies.value('inbox_session'),
    'session signature': browser.cookies.value('inbox_session.sig'),
    'browser mark': browser.cookies.value('inbox_device'),
    'key for secrets': secretsKey,
  }
  for (const [name, secret] of Object.entries(secrets)) {
    t.ok(typeof secret === 'string' && secret.length > 8, `there was a ${name}`)
    t.notOk(log.includes(String(secret)), `the log has no ${name}`)
  }
})

/** The server in a process of its own, whose output is its log. */
async function startServer(t: Test): Promise<{ readonly url: string; stop(): Promise<string> }> {
  const location = await createTestLocation(t)
  const database = await openDatabase(location)
  const people = await seedTwoOrganizations(database)
  const hash = await hashPassword(password, passwordCost)
  await database.asOwner(trx =>
    trx
      .insertInto('credentials')
      .values({ user_id: people.ana, organization_id: people.acme.id, hash })
      .execute(),
  )
  await database.close()
  const port = await findPort()
  const url = `http://127.0.0.1:${port}`
  const child = spawn(process.execPath, toProgram('server.ts'), {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'development',
      PORT: String(port),
      PUBLIC_URL: url,
      DATABASE_URL: location.databaseUrl ?? '',
      DATA_DIR: location.dataDir || t.testdir({}),
      SECRETS_KEY: secretsKey,
      LOG_LEVEL: 'trace',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  let log = ''
  const listens = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part: Buffer) => {
        log += part.toString()
        if (/listening at/.test(log)) resolve()
      })
    child.once('exit', () => reject(new Error(`the server ended early:\n${log}`)))
  })
  await listens
  return {
    url,
    async stop() {
      child.kill('SIGTERM')
      await once(child, 'exit')
      return log
    },
  }
}
