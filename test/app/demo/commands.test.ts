import tap, { test } from 'tap'
import { createDemoLocation } from './fixtures/create-demo-location.ts'
import { startCommand } from './fixtures/start-demo.ts'

tap.setTimeout(120_000)

test('migrate brings a database to the newest version and says so', async t => {
  const { databaseUrl, dataDir } = await createDemoLocation(t)
  const command = startCommand(['migrate'], { DATABASE_URL: databaseUrl ?? '', DATA_DIR: dataDir })
  t.equal(await command.ended(), 0)
  t.equal(command.output(), 'The database is up to date.\n')
})

test('what cannot be done is said in a line or two, without a stack', async t => {
  const refusals: [string[], NodeJS.ProcessEnv, RegExp][] = [
    [
      ['migrate'],
      { DATABASE_URL: 'postgres://u@127.0.0.1:1/d' },
      /^The database cannot be opened: .*127\.0\.0\.1:1/,
    ],
    [['migrate'], { DATABASE_URL: 'mysql://u@127.0.0.1/d' }, /DATABASE_URL must be a postgres:\/\/ URL/],
    [['demo'], { NODE_ENV: 'production' }, /^The demo is not for production/],
    [['demo'], { PORT: 'many' }, /PORT must be an integer/],
    [['demo', '--port', '3001'], {}, /^Unknown option '--port'\./],
    [['serve'], {}, /^Unknown command "serve"\./],
  ]
  const commands = refusals.map(([args, env]) => startCommand(args, { NODE_ENV: '', ...env }))
  for (const [index, command] of commands.entries()) {
    const [args, , message] = refusals[index] ?? []
    t.equal(await command.ended(), 1, args?.join(' '))
    t.match(command.output(), message)
    t.notMatch(command.output(), /\n {4}at /)
  }
})

test('help is printed on request, with success', async t => {
  const command = startCommand(['token', '--help'], {})
  t.equal(await command.ended(), 0)
  t.match(command.output(), /--audience\s+mcp for POST \/mcp, api for \/api\/v1/)
})
