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
    [['organization', 'create', '--name', 'Acme'], {}, /^--admin is missing/],
    [['organization', 'create', 'Acme'], {}, /^Unexpected argument 'Acme'\./],
    [
      ['organization', 'link', '--person', 'ana@acme.test'],
      { DATABASE_URL: 'postgres://u@127.0.0.1:1/d' },
      /^PUBLIC_URL is not set/,
    ],
  ]
  const commands = refusals.map(([args, env]) => startCommand(args, { NODE_ENV: '', ...env }))
  for (const [index, command] of commands.entries()) {
    const [args, , message] = refusals[index] ?? []
    t.equal(await command.ended(), 1, String(args))
    t.match(command.output(), message)
    t.notMatch(command.output(), /\n {4}at /)
  }
})

test('help is printed on request, with success', async t => {
  const command = startCommand(['token', '--help'], {})
  t.equal(await command.ended(), 0)
  t.match(command.output(), /--audience\s+mcp for POST \/mcp, api for \/api\/v1/)
})

test('the first day: an organization, and a link for its first person', async t => {
  const { databaseUrl, dataDir } = await createDemoLocation(t)
  const env = {
    NODE_ENV: 'production',
    DATABASE_URL: databaseUrl ?? '',
    DATA_DIR: dataDir,
    PUBLIC_URL: 'https://inbox.example',
  }
  const create = ['organization', 'create', '--name', 'Initech', '--admin', 'ida@initech.example']
  const first = startCommand(create, env)
  t.equal(await first.ended(), 0, first.output())
  t.match(first.output(), /\nhttps:\/\/inbox\.example\/people\/link\?token=[\w-]{43}\n/)
  const second = startCommand(create, env)
  t.equal(await second.ended(), 1)
  t.match(second.output(), /belongs to ida, of the organization Initech .*Nothing was created/)
  const list = startCommand(['organization', 'list'], { ...env, PUBLIC_URL: '' })
  t.equal(await list.ended(), 0)
  t.match(list.output(), /^org_\w{26} {2}Initech {2}\(1 person, 1 workspace,/)
})
