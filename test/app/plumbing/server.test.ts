import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { type Test, test } from 'tap'
import { openDatabase } from '../../../lib/database/open-database.ts'
import { allScopes } from '../../../lib/identity/scopes.ts'
import { loadSigningKey } from '../../../lib/identity/signing-key.ts'
import { createTokenSigner, toAudiences } from '../../../lib/identity/tokens.ts'
import { toProgram } from '../../project.ts'
import { createTestLocation } from '../support/open-test-database.ts'
import { seedTwoOrganizations } from '../support/seed-two-organizations.ts'

const publicUrl = 'http://inbox.test'

test('a server that is told to stop finishes what is under way, takes nothing new, and ends by itself', async t => {
  const location = await createTestLocation(t)
  const dataDir = location.dataDir || temporaryDirectory(t)
  const database = await openDatabase(location)
  const people = await seedTwoOrganizations(database)
  await database.close()
  const { privateKey } = await loadSigningKey(dataDir)
  const token = createTokenSigner(privateKey)({
    issuer: publicUrl,
    audience: toAudiences(publicUrl).api,
    userId: people.bia,
    clientId: 'test-client',
    scopes: allScopes,
    lifetime: 600,
  })

  const env = {
    NODE_ENV: 'test',
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: location.databaseUrl ?? '',
    PUBLIC_URL: publicUrl,
  }
  const server = start(t, env)
  const port = await server.port
  t.equal((await fetch(`http://127.0.0.1:${port}/ready`)).status, 200)

  const body = JSON.stringify({ address: 'late@inbox.test', name: 'Late' })
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', chunk => {
    answer += chunk
  })
  socket.write(
    `POST /api/v1/inboxes HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
  )
  await delay(300)
  const ended = once(server.child, 'exit')
  server.child.kill('SIGTERM')
  await untilRefused(port)
  await t.rejects(fetch(`http://127.0.0.1:${port}/health`), 'no new connection is taken')

  socket.write(body.slice(10))
  t.same(await ended, [0, null])
  t.match(answer, /^HTTP\/1\.1 201 Created\r\n/)
  t.notMatch(server.output(), token.slice(0, 40), 'the token is in no line of the log')

  const reopened = await openDatabase(location)
  const rows = await reopened.asOwner(trx => trx.selectFrom('inboxes').select('address').execute())
  await reopened.close()
  t.same(rows, [{ address: 'late@inbox.test' }])
})

test('a server that is told to stop serves on for its SHUTDOWN_DELAY, and says so to proxies', async t => {
  const location = await createTestLocation(t)
  const server = start(t, {
    NODE_ENV: 'test',
    PORT: '0',
    DATA_DIR: location.dataDir || temporaryDirectory(t),
    DATABASE_URL: location.databaseUrl ?? '',
    SHUTDOWN_DELAY: '2',
  })
  const url = `http://127.0.0.1:${await server.port}`
  t.not((await fetch(`${url}/health`)).headers.get('connection'), 'close')
  const ended = once(server.child, 'exit')
  server.child.kill('SIGTERM')
  const stoppedAt = Date.now()
  await delay(300)
  const ready = await fetch(`${url}/ready`)
  t.equal(ready.status, 503)
  t.match(await ready.json(), { checks: { server: 'not ready', database: 'ready', queue: 'ready' } })
  const served = await fetch(`${url}/health`)
  t.equal(served.status, 200)
  t.equal(served.headers.get('connection'), 'close', 'no connection is kept for later')
  t.same(await ended, [0, null])
  t.ok(Date.now() - stoppedAt >= 2_000)
})

test('a server that lacks what it needs says what, and does not start', async t => {
  const server = start(t, {
    DATABASE_URL: '',
    PUBLIC_URL: '',
    AUTH_ISSUER: '',
    AUTH_PUBLIC_KEY_FILE: '',
    CONFIRMATION_KEYS: '',
    SECRETS_KEY: '',
  })
  t.same(await once(server.child, 'exit'), [1, null])
  for (const name of ['DATABASE_URL', 'PUBLIC_URL', 'CONFIRMATION_KEYS', 'SECRETS_KEY'])
    t.match(server.output(), name)
  t.notMatch(server.output(), /at .*\.ts:\d+/, 'without a stack')
})

interface Started {
  readonly child: ChildProcess
  readonly port: Promise<number>
  output(): string
}

/** Half a second is enough where nothing else runs. */
async function untilRefused(port: number): Promise<void> {
  for (let tries = 0; tries < 40; tries++) {
    await delay(250)
    if (!(await fetch(`http://127.0.0.1:${port}/health`).catch(() => null))) return
  }
}

function start(t: Test, env: Record<string, string>): Started {
  const child = spawn(process.execPath, toProgram('server.ts'), {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  let output = ''
  let found = (_port: number) => {}
  const port = new Promise<number>((resolve, reject) => {
    found = resolve
    child.once('exit', () => reject(new Error(`the server ended early:\n${output}`)))
  })
  port.catch(() => {})
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', line => {
      output += `${line}\n`
      const listening = /listening at http:\/\/127\.0\.0\.1:(\d+)/.exec(line)
      if (listening) found(Number(listening[1]))
    })
  }
  return { child, port, output: () => output }
}

function temporaryDirectory(t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), 'kobana-inbox-test-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}
