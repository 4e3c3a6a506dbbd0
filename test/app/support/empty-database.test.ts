import { rmSync } from 'node:fs'
import type { PGlite } from '@electric-sql/pglite'
import { type Test, test } from 'tap'
import { startPglite } from '../../../lib/database/pglite-engine.ts'
import { copyTemplate } from './embedded-template.ts'
import { emptyDatabase, readPristine } from './empty-database.ts'

// Tests of one process have one database after the other; each of them relies on what is refused here.

const organization = "insert into organizations (id, name) values ('org_1', 'Acme')"

test('a database is given on only as it was', async t => {
  const { run, pristine } = await startEngine(t)
  const isEmptied = async (...changes: string[]) => {
    for (const change of changes) await run(change)
    return emptyDatabase(run, pristine)
  }

  t.equal(await isEmptied('begin', organization), false, 'with a transaction that is still open')
  await run('rollback')
  t.equal(await isEmptied('create table more (id int)'), false, 'with a table more')
  t.equal(await isEmptied('drop table more'), true, 'and without it again')
  for (const change of [
    'alter table inboxes disable row level security',
    'grant select on inboxes to public',
    'create role somebody',
  ]) {
    t.equal(await isEmptied(change), false, change)
  }
})

test('what is analyzed has plans of its own', async t => {
  const { run, pristine } = await startEngine(t)
  await run(`${organization}; analyze organizations`)
  t.equal(await emptyDatabase(run, pristine), false)
})

test('rows and settings of a session go, and queues with them', async t => {
  const { run, pristine } = await startEngine(t)
  const [before] = await run('select name from kysely_migration order by name')
  await run(organization)
  await run("set search_path = nowhere; set app.workspace_id = 'wsp_1'; select pg_advisory_lock(1)")
  await run('create schema pgboss; create table pgboss.job (id int)')
  t.equal(await emptyDatabase(run, pristine), true)
  const [rows] = await run('select * from organizations')
  t.same(rows?.rows, [])
  const [settings] = await run(
    "select current_setting('search_path') as path, current_setting('app.workspace_id', true) as workspace",
  )
  t.match(settings?.rows, [{ path: /public/, workspace: '' }])
  t.same((await run("select * from pg_locks where locktype = 'advisory'"))[0]?.rows, [])
  t.same((await run('select name from kysely_migration order by name'))[0]?.rows, before?.rows)
})

async function startEngine(t: Test) {
  const dataDir = await copyTemplate()
  const pglite: PGlite = await startPglite(dataDir)
  t.teardown(async () => {
    await pglite.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const run = (text: string) => pglite.exec(text)
  return { run, pristine: await readPristine(run) }
}
