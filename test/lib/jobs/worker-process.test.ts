import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { test } from 'tap'
import { openDatabase } from '../../../lib/database/open-database.ts'
import { ingestMessage } from '../../../lib/mail/ingest-message.ts'
import { createTestLocation } from '../../app/support/open-test-database.ts'
import { seedTwoOrganizations } from '../../app/support/seed-two-organizations.ts'
import { projectFile, toProgram } from '../../project.ts'
import { addInbox } from '../mail/support/add-inbox.ts'
import { sampleMessage } from '../mail/support/sample-message.ts'
import { eventually } from './support/start-jobs.ts'

const needsServer = process.env.DATABASE_URL ? false : 'the worker process needs a PostgreSQL server'

function run(t: { teardown(callback: () => unknown): unknown }, environment: Record<string, string>) {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, toProgram('worker.ts'), { env: { PATH, ...environment } })
  t.teardown(() => child.kill('SIGKILL'))
  const output = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', text => {
    output.out += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    output.err += text
  })
  return { child, output, ended: once(child, 'exit') }
}

test('the worker process refuses to start without a database server, naming what is missing', async t => {
  const production = run(t, {})
  t.same(await production.ended, [1, null])
  t.match(production.output.err, 'DATABASE_URL is required in production')
  t.notMatch(production.output.err, /^\s+at /m, 'without a stack')

  const elsewhere = run(t, { NODE_ENV: 'test' })
  t.same(await elsewhere.ended, [1, null])
  t.match(elsewhere.output.err, 'DATABASE_URL is not set')
})

test('the worker process reads mail, and stops in order when told to', { skip: needsServer }, async t => {
  const { databaseUrl, dataDir } = await createTestLocation(t)
  const database = await openDatabase({ databaseUrl, dataDir })
  t.teardown(() => database.close())
  const { billing: tenant } = await seedTwoOrganizations(database)
  const inboxId = await addInbox(database, tenant)

  const { output, child, ended } = run(t, { NODE_ENV: 'test', DATABASE_URL: databaseUrl ?? '' })
  await eventually(() => output.out.includes('the worker is ready'), 60)
  const raw = sampleMessage('one@supplier.test')
  const { emailId } = await database.inTenant(tenant, trx =>
    ingestMessage(trx, { tenant, inboxId, raw, envelopeFrom: null, createdBy: null }),
  )
  await eventually(async () => {
    const { rows } = await database.pool.query('select status from emails where id = $1', [emailId])
    return rows[0]?.status === 'processed'
  }, 60)
  child.kill('SIGTERM')
  t.same(await ended, [0, null], output.err)
  t.equal(output.err, '')
})

test('the worker process loads neither the web server nor a route', t => {
  const modules = collectModules(projectFile('worker.ts'))
  t.ok(modules.has('pg-boss') && modules.has('postal-mime'), 'its modules were seen')
  t.same(
    [...modules].filter(name => /fastify|\/routes\/|\/plugins\//.test(name)),
    [],
  )
  t.end()
})

/** The files and packages that a file imports, and those that these import. Types are not imported. */
function collectModules(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found
  found.add(file)
  const source = readFileSync(file, 'utf8').replace(/^(?:import|export) type .*$/gm, '')
  for (const [, name = ''] of source.matchAll(/(?:from|import) '([^']+)'/g)) {
    if (name.startsWith('.')) collectModules(resolve(dirname(file), name), found)
    else found.add(name)
  }
  return found
}
