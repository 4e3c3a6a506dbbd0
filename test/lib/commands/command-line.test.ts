import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'tap'
import { parseCommandLine } from '../../../lib/commands/command-line.ts'
import { findPort } from '../../../lib/demo/find-port.ts'

test('commands and their options are read', async t => {
  t.same(parseCommandLine(['demo']), { name: 'demo' })
  t.same(parseCommandLine(['migrate']), { name: 'migrate' })
  t.same(
    parseCommandLine(['token', '--user', 'a@b.test', '--audience=api', '--scope', 'x y', '--expires', '1h']),
    {
      name: 'token',
      options: { user: 'a@b.test', audience: 'api', scope: 'x y', expires: '1h' },
    },
  )
})

test('help is printed for the program and for each command', async t => {
  for (const args of [['--help'], ['-h'], ['help']]) {
    t.match(parseCommandLine(args), { name: 'help', text: /demo[\s\S]*token[\s\S]*migrate/ })
  }
  t.match(parseCommandLine(['demo', '--help']), { name: 'help', text: 'RATE_LIMIT_MAX' })
  t.match(parseCommandLine(['token', '-h']), { name: 'help', text: '--audience' })
  t.match(parseCommandLine(['migrate', '--help']), { name: 'help', text: 'DATABASE_URL' })
})

test('what is not known is refused by name', async t => {
  t.throws(() => parseCommandLine([]), { name: 'CommandFailure', message: /^Usage/ })
  t.throws(() => parseCommandLine(['serve']), { name: 'CommandFailure', message: /^Unknown command "serve"/ })
  t.throws(() => parseCommandLine(['demo', '--port', '1']), { message: /^Unknown option '--port'\./ })
  t.throws(() => parseCommandLine(['token', '--usr', 'x']), { message: /^Unknown option '--usr'\./ })
  t.throws(() => parseCommandLine(['token', 'ana@acme.test']), {
    message: /^Unexpected argument 'ana@acme\.test'\./,
  })
  t.throws(() => parseCommandLine(['token', '--user']), { message: /--user/ })
})

test('a free port is found, and one in use is refused with what to do', async t => {
  const port = await findPort('127.0.0.1', 0)
  t.ok(port > 1023)
  t.equal(await findPort('127.0.0.1', port), port, 'it was let go')

  const server = createServer().listen(port, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const message = new RegExp(`listens on port ${port} of 127.0.0.1.*PORT=${port + 1}`)
  await t.rejects(findPort('127.0.0.1', port), { name: 'CommandFailure', message })
  await t.rejects(findPort('192.0.2.1', 0), { name: 'CommandFailure', message: /no address of this machine/ })
})
