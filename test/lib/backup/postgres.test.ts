import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Client } from 'pg'
import { test } from 'tap'
import { createPostgresLocation } from '../../app/support/postgres-template.ts'
import { checkRestored, fill } from './support/check-restored.ts'

const serverUrl = process.env.DATABASE_URL ?? ''

function toSkip(): string | false {
  if (serverUrl === '') return 'needs DATABASE_URL'
  const isThere = ['pg_dump', 'pg_restore'].every(name => spawnSync(name, ['--version']).status === 0)
  return isThere ? false : 'needs pg_dump and pg_restore on the PATH'
}

test('a PostgreSQL database is backed up by pg_dump and restored by pg_restore', {
  skip: toSkip(),
  timeout: 120_000,
}, async t => {
  const location = await createPostgresLocation(t, serverUrl)
  const filled = await fill(location)
  const file = join(t.testdir({}), 'inbox.dump')
  // As docs/backup.md has it.
  execFileSync('pg_dump', ['--format=custom', `--file=${file}`, location.databaseUrl ?? ''])

  const name = `kobana_test_${randomBytes(8).toString('hex')}`
  await onServer(`create database ${name}`)
  t.teardown(() => onServer(`drop database if exists ${name} with (force)`))
  const restored = new URL(serverUrl)
  restored.pathname = `/${name}`
  execFileSync('pg_restore', [
    ...['--no-owner', '--exit-on-error', '--single-transaction'],
    ...[`--dbname=${restored.href}`, file],
  ])
  await checkRestored(t, { databaseUrl: restored.href, dataDir: '' }, filled)
})

async function onServer(statement: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
