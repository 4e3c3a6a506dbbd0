import { join } from 'node:path'
import { test } from 'tap'
import { parseConfig } from '../../../lib/config/config.ts'
import { environmentSchema } from '../../../lib/config/environment.ts'
import { secretVariables } from '../../../lib/config/secret-files.ts'

const key = 'a key that is long enough for anybody'

test('a secret file that is missing or empty, or stands beside the secret, is refused by name', async t => {
  const folder = t.testdir({ empty: '\n', key: `${key}\n` })
  const message = refusal({
    DATABASE_URL_FILE: join(folder, 'absent'),
    REDIS_URL_FILE: join(folder, 'empty'),
    SECRETS_KEY_FILE: join(folder, 'key'),
    SECRETS_KEY: key,
    PORT: 'x',
  })
  t.match(message, `DATABASE_URL_FILE names a file that cannot be read: ${join(folder, 'absent')}`)
  t.match(message, `REDIS_URL_FILE names an empty file: ${join(folder, 'empty')}`)
  t.match(message, 'SECRETS_KEY_FILE and SECRETS_KEY exclude each other')
  t.match(message, 'PORT must be', 'with what else is wrong')
})

test('what a secret file holds is checked as the variable is, and is in no message', async t => {
  const folder = t.testdir({ url: 'mysql://user:hunter2@host', keys: 'short-secret' })
  const message = refusal({
    DATABASE_URL_FILE: join(folder, 'url'),
    CONFIRMATION_KEYS_FILE: join(folder, 'keys'),
  })
  t.match(message, 'DATABASE_URL must be a postgres:// URL')
  t.match(message, 'CONFIRMATION_KEYS must be secrets of at least 32 characters')
  t.notMatch(message, /hunter2|short-secret/)
})

test('production does not ask for what a file was named for', async t => {
  const message = refusal({ NODE_ENV: 'production', DATABASE_URL_FILE: '/nowhere/url' })
  t.notMatch(message, 'DATABASE_URL is required')
  t.match(message, 'DATABASE_URL_FILE names a file that cannot be read')
  t.match(message, 'SECRETS_KEY is required')
})

test('every secret can come from a file, without the line break at its end', async t => {
  const folder = t.testdir({
    database: 'postgres://inbox:hunter2@db/inbox\r\n',
    redis: 'redis://:hunter2@cache\n',
    confirmation: `${key},another ${key}\n`,
    secrets: key,
  })
  const config = parseConfig({
    DATABASE_URL_FILE: join(folder, 'database'),
    REDIS_URL_FILE: join(folder, 'redis'),
    CONFIRMATION_KEYS_FILE: join(folder, 'confirmation'),
    SECRETS_KEY_FILE: join(folder, 'secrets'),
    SECRETS_KEY: '',
  })
  t.equal(config.databaseUrl, 'postgres://inbox:hunter2@db/inbox')
  t.equal(config.redisUrl, 'redis://:hunter2@cache')
  t.same(config.confirmationKeys, [key, `another ${key}`])
  t.same(config.secretsKeys, [key])
})

test('the variables that may come from a file are variables', async t => {
  for (const name of secretVariables) t.ok(name in environmentSchema.shape, name)
})

function refusal(env: NodeJS.ProcessEnv): string {
  try {
    parseConfig(env)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  throw new Error('the configuration was accepted')
}
