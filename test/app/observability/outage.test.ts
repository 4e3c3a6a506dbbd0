import { setTimeout as wait } from 'node:timers/promises'
import { type Test, test } from 'tap'
import { openDatabase } from '../../../lib/database/open-database.ts'
import { createLog } from '../../../lib/log/log.ts'
import { eventually } from '../../lib/jobs/support/start-jobs.ts'
import { bearer, startApp } from '../plumbing/start-app.ts'
import { createTestLocation } from '../support/open-test-database.ts'
import { seedTwoOrganizations } from '../support/seed-two-organizations.ts'

const skip = process.env.DATABASE_URL ? false : 'needs DATABASE_URL'

test('a connection that is ended under a request is one line of the log, a warning', { skip }, async t => {
  const { app, database, people, lines } = await startOnServer(t)
  const { pool } = database
  const holder = await pool.connect()
  t.teardown(() => holder.release())
  for (const method of ['GET', 'PATCH'] as const) {
    lines.length = 0
    await holder.query('begin')
    await holder.query('lock table users, workspaces in access exclusive mode')
    const asked = app.inject({
      method,
      url: `/api/v1/workspaces/${people.billing.workspaceId}`,
      headers: bearer(people.ana),
      ...(method === 'PATCH' && { payload: { name: 'Billing too' } }),
    })
    await eventually(async () => {
      const { rowCount } = await pool.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
      return rowCount || undefined
    })
    t.equal((await asked).statusCode, 503)
    await holder.query('rollback')
    await wait(100)
    t.equal(lines.length, 1, lines.join(''))
    t.match(JSON.parse(lines[0] ?? '{}'), {
      level: 40,
      msg: 'request could not be served',
      err: { message: /terminat/ },
    })
  }
})

async function startOnServer(t: Test) {
  const lines: string[] = []
  const log = createLog('warn', { write: line => void lines.push(line) })
  const location = await createTestLocation(t)
  const database = await openDatabase(location, { onError: err => log.error({ err }, 'database') })
  t.teardown(() => database.close())
  const people = await seedTwoOrganizations(database)
  const { app } = await startApp(t, { log, beside: { database, people } })
  return { app, database, people, lines }
}
