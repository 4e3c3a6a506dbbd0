import tap, { test } from 'tap'
import { eventually, startJobs } from './support/start-jobs.ts'

const { database, jobs, people } = await startJobs(tap)

test('a job that fails is tried again, later each time, and ends as a dead letter', async t => {
  t.teardown(() => jobs.unhandle())
  const job = { emailId: 'eml_1', operationId: 'opr_1', ...people.billing }
  const attempts: { attempt: number; at: number }[] = []
  const dead: { data: unknown; attempts: number }[] = []
  await jobs.handle('email.process', async (_data, attempt) => {
    attempts.push({ attempt, at: Date.now() })
    throw new Error(`attempt ${attempt} went wrong`)
  })
  await jobs.handleDead('email.process', async (data, attempts) => {
    dead.push({ data, attempts })
  })

  await database.inTenant(people.billing, trx => jobs.enqueue(trx, 'email.process', job))
  await eventually(() => dead.length > 0, 30)

  t.same(
    attempts.map(({ attempt }) => attempt),
    [1, 2, 3],
    'once and twice again, as configured',
  )
  const [first, second, third] = attempts.map(({ at }) => at)
  // Of a delay d, the n-th retry waits between d·2ⁿ⁻¹ and d·2ⁿ.
  t.ok((second ?? 0) - (first ?? 0) >= 1_000, 'the first retry waits a second')
  t.ok((third ?? 0) - (second ?? 0) >= 2_000, 'the second waits two')
  t.same(dead, [{ data: job, attempts: 3 }])

  const letters = await jobs.deadLetters()
  t.match(letters, [{ name: 'email.process', data: job, attempts: 3, error: 'attempt 3 went wrong' }])
  t.match(letters[0]?.diedAt, /^\d{4}-\d\d-\d\dT.*Z$/)
})

test('a job that runs too long is taken back and tried again', async t => {
  t.teardown(() => jobs.unhandle())
  const job = { emailId: 'eml_1', operationId: 'opr_1', ...people.billing }
  const attempts: number[] = []
  let release = () => {}
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  await jobs.handle('email.process', async (_data, attempt) => {
    attempts.push(attempt)
    if (attempt === 1) await held
  })
  await jobs.handle('email.process', async (_data, attempt) => {
    attempts.push(attempt)
    if (attempt === 1) await held
  })
  await database.inTenant(people.billing, trx => jobs.enqueue(trx, 'email.process', job))
  await eventually(() => attempts.length > 1)
  release()
  t.same(attempts, [1, 2])
  t.equal((await jobs.deadLetters()).length, 1, "that is no dead letter: the only one is the other test's")
})

test('a job that fails once is done the second time', async t => {
  t.teardown(() => jobs.unhandle())
  const job = { emailId: 'eml_1', operationId: 'opr_1', ...people.billing }
  const done: number[] = []
  await jobs.handle('email.process', async (_data, attempt) => {
    if (attempt === 1) throw new Error('the network is away')
    done.push(attempt)
  })
  await database.inTenant(people.billing, trx => jobs.enqueue(trx, 'email.process', job))
  await eventually(() => done.length > 0)
  t.same(done, [2])
})
