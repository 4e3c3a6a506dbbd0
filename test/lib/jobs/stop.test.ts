import { setTimeout as delay } from 'node:timers/promises'
import { test } from 'tap'
import { createJobs } from '../../../lib/jobs/jobs.ts'
import { eventually, hasty, silent, startJobs } from './support/start-jobs.ts'

test('stopping lets a running job finish and takes no other', async t => {
  const { database, jobs, people } = await startJobs(t)
  const began: string[] = []
  const done: string[] = []
  await jobs.handle('email.process', async ({ emailId }) => {
    began.push(emailId)
    await delay(700)
    done.push(emailId)
  })
  for (const emailId of ['eml_1', 'eml_2']) {
    const job = { emailId, operationId: 'opr_1', ...people.billing }
    await database.inTenant(people.billing, trx => jobs.enqueue(trx, 'email.process', job))
  }
  await eventually(() => began.length > 0)
  await jobs.stop()
  t.same([began, done], [['eml_1'], ['eml_1']])
  t.equal(await jobs.isReady(), false)
  const { rows } = await database.pool.query(
    `select data ->> 'emailId' as id, state from pgboss.job order by 1`,
  )
  t.same(rows, [
    { id: 'eml_1', state: 'completed' },
    { id: 'eml_2', state: 'created' },
  ])
})

test('a job that does not finish within the stop is left for the next process', async t => {
  const { database, jobs, people } = await startJobs(t, { stopTimeout: 1, expireAfter: 30 })
  const job = { emailId: 'eml_1', operationId: 'opr_1', ...people.billing }
  let release = () => {}
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  const began: number[] = []
  await jobs.handle('email.process', async (_data, attempt) => {
    began.push(attempt)
    await held
  })
  await database.inTenant(people.billing, trx => jobs.enqueue(trx, 'email.process', job))
  await eventually(() => began.length > 0)
  const before = Date.now()
  await jobs.stop()
  t.ok(Date.now() - before < 15_000, 'the stop has an end')
  release()

  const next = createJobs(database, { log: silent, ...hasty })
  await next.start()
  t.teardown(() => next.stop())
  await next.handle('email.process', async (_data, attempt) => {
    began.push(attempt)
  })
  await eventually(() => began.length > 1)
  t.same(began, [1, 2])
})

test('a queue is ready from its start to its stop, and starts twice over the same tables', async t => {
  const { database, jobs } = await startJobs(t)
  const other = createJobs(database, { log: silent, ...hasty })
  t.equal(await other.isReady(), false)
  await Promise.all([other.start(), other.start()])
  t.equal(await other.isReady(), true)
  await other.stop()
  t.equal(await other.isReady(), false)
  t.equal(await jobs.isReady(), true)
})
