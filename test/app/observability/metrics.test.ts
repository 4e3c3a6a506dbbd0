import { type Test, test } from 'tap'
import { parseConfig } from '../../../lib/config/config.ts'
import { createLog } from '../../../lib/log/log.ts'
import { startTelling } from '../../../lib/metrics/start-telling.ts'
import { ask, createAgent, no, yes } from '../confirmation/agent.ts'
import { bearer, startApp } from '../plumbing/start-app.ts'
import { insertEmail, insertInbox } from '../support/insert-email.ts'
import { openTestDatabase } from '../support/open-test-database.ts'
import { seedTwoOrganizations } from '../support/seed-two-organizations.ts'
import { parseMetrics, valuesOf } from './parse-metrics.ts'

const token = 'a-token-for-metrics-alone'

test('without a port or a token nothing is counted, and nothing is there', async t => {
  const { app } = await startApp(t)
  t.equal((await app.inject('/metrics')).statusCode, 404)
  const database = await openTestDatabase(t)
  t.equal((await startTelling(parseConfig({}), { database, log: createLog('silent') })).metrics, undefined)
})

test('metrics are for whoever has their token', async t => {
  const { app, people, url } = await startCounted(t, { METRICS_TOKEN: token, METRICS_PORT: '0' })
  for (const headers of [
    {},
    { authorization: 'Bearer wrong' },
    { authorization: token },
    bearer(people.ana),
  ]) {
    const refused = await app.inject({ url: '/metrics', headers })
    t.equal(refused.statusCode, 401)
    t.match(refused.headers, { 'www-authenticate': 'Bearer', 'content-type': /problem\+json/ })
    t.equal((await fetch(`${url}/metrics`, { headers })).status, 401)
  }
  t.equal((await fetch(`${url}/anything`)).status, 404)
  const headers = { authorization: `Bearer ${token}` }
  const onMain = await app.inject({ url: '/metrics', headers })
  t.equal(onMain.statusCode, 200)
  t.match(onMain.headers['content-type'], 'text/plain; version=0.0.4')
  const onOwn = await fetch(`${url}/metrics`, { headers })
  t.equal(onOwn.status, 200)
  t.ok(parseMetrics(await onOwn.text()).size > 20)
})

test('a port of its own needs no token where none is set, and the main port has nothing', async t => {
  const { app, url } = await startCounted(t, { METRICS_PORT: '0' })
  t.equal((await fetch(`${url}/metrics`)).status, 200)
  t.equal((await app.inject('/metrics')).statusCode, 404)
})

test('what happens is counted', async t => {
  const { app, database, people, read } = await startCounted(t, { METRICS_PORT: '0' })
  const inboxId = await insertInbox(database, people.billing)
  const id = await insertEmail(database, people.billing, { inboxId })
  const rest = (path: string) => app.inject({ url: path, headers: bearer(people.bia) })
  const http = (route: string, status: string) =>
    `kobana_http_request_duration_seconds_count{method="GET",route="${route}",status="${status}"}`

  await t.test('requests by route pattern, whatever their URL says', async t => {
    for (const path of [
      `/api/v1/emails/${id}`,
      '/api/v1/emails/eml_1?a="b"',
      '/api/v1/emails/eml_2',
      '/nothing/at/all',
    ])
      await rest(path)
    const samples = await read()
    t.equal(samples.get(http('/api/v1/emails/:id', '2xx')), 1)
    t.equal(samples.get(http('/api/v1/emails/:id', '4xx')), 2)
    t.equal(samples.get(http('none', '4xx')), 1)
    t.notMatch([...samples.keys()].join(), /eml_|nothing/)
  })

  await t.test('tool calls by outcome, once each, and not as requests of their routes', async t => {
    const bruno = createAgent(app, people.bruno)
    const before = await read()
    await bruno.call('emails_get', { id })
    await bruno.call('emails_get', { id: 'eml_none' })
    await bruno.call('a_name_of_mine', {})
    const first = await ask(bruno, 'emails_delete', { id })
    await bruno.call('emails_delete', { id }, { state: first.state, responses: no })
    const second = await ask(bruno, 'emails_delete', { id })
    await bruno.call('emails_delete', { id }, { state: second.state, responses: yes })
    const samples = await read()
    const calls = (tool: string, outcome: string, code = '') =>
      samples.get(`kobana_mcp_tool_calls_total{tool="${tool}",outcome="${outcome}",code="${code}"}`)
    t.equal(calls('emails_get', 'ok'), 1)
    t.equal(calls('emails_get', 'error', 'not_found'), 1)
    t.equal(calls('emails_delete', 'asked'), 2)
    t.equal(calls('emails_delete', 'error', 'confirmation_declined'), 1)
    t.equal(calls('emails_delete', 'ok'), 1)
    t.equal(samples.get('kobana_mcp_tool_call_duration_seconds_count{tool="emails_get"}'), 2)
    for (const [step, count] of [
      ['asked', 2],
      ['declined', 1],
      ['accepted', 1],
    ] as const)
      t.equal(samples.get(`kobana_mcp_confirmations_total{tool="emails_delete",step="${step}"}`), count)
    const route = http('/api/v1/emails/:id', '2xx')
    t.equal(samples.get(route), before.get(route))
    const post = 'kobana_http_request_duration_seconds_count{method="POST",route="/mcp",status="2xx"}'
    t.equal(samples.get(post), 7)
    t.same(valuesOf(samples, 'tool'), ['emails_delete', 'emails_get'], 'no name that is no tool')
  })

  await t.test('the queue, the dead and the pool', async t => {
    await app.jobs.start()
    t.teardown(() => app.jobs.stop())
    const job = { emailId: id, operationId: 'opn_1', ...people.billing }
    await database.asOwner(async trx => {
      await app.jobs.enqueue(trx, 'email.process', job)
      await app.jobs.enqueue(trx, 'email.process', job, { startAfter: 600 })
    })
    await database.pool.query(
      `update pgboss.job set created_on = now() - interval '90 seconds', start_after = now() - interval '60 seconds'
      where name = 'email.process' and start_after <= now()`,
    )
    await database.pool.query(`insert into pgboss.job (name, data) values ('webhook.deliver.dead', '{}')`)
    // What was read a moment ago is good for five seconds.
    await new Promise(resolve => setTimeout(resolve, 5_100))
    const samples = await read()
    t.equal(samples.get('kobana_queue_jobs{queue="email.process"}'), 2)
    t.equal(samples.get('kobana_queue_jobs{queue="webhook.deliver"}'), 0)
    const oldest = samples.get('kobana_queue_oldest_seconds{queue="email.process"}') ?? 0
    t.ok(oldest >= 60 && oldest < 90, `${oldest}`)
    t.equal(samples.get('kobana_dead_jobs{queue="webhook.deliver.dead"}'), 1)
    t.equal(samples.get('kobana_dead_jobs{queue="email.process.dead"}'), 0)
    t.ok((samples.get('kobana_database_connections{state="idle"}') ?? -1) >= 0)
    t.equal(samples.get('kobana_database_waiting'), 0)
    t.ok((samples.get('process_resident_memory_bytes') ?? 0) > 1e6)
  })
})

test('metrics are told while the database is away, without the queue', async t => {
  const { database, read } = await startCounted(t, { METRICS_PORT: '0' })
  await database.close()
  const samples = await read()
  t.same(valuesOf(samples, 'queue'), [])
  t.equal(samples.get('kobana_queues_readable'), 0)
  t.ok(samples.has('process_cpu_seconds_total'))
})

test('a scrape does not wait for an exhausted pool, and on a server tells the queues all the same', async t => {
  const { app, database, read } = await startCounted(t, { METRICS_PORT: '0' })
  await app.jobs.start()
  await app.jobs.stop()
  const { pool } = database
  const size = database.engine === 'postgres' ? 10 : 1
  const lent = await Promise.all(Array.from({ length: size }, () => pool.connect()))
  const waiting = pool.query('select 1')
  const startedAt = performance.now()
  const samples = await read()
  t.ok(performance.now() - startedAt < 1_500, 'it answers at once')
  const isReadable = database.engine === 'postgres'
  t.equal(samples.get('kobana_queues_readable'), isReadable ? 1 : 0)
  t.equal(samples.get('kobana_queue_jobs{queue="email.process"}'), isReadable ? 0 : undefined)
  t.equal(samples.get('kobana_database_connections{state="in_use"}'), size)
  t.ok((samples.get('kobana_database_waiting') ?? 0) >= 1)

  for (const client of lent) client.release()
  await waiting
  // What could not be read is asked for again five seconds after that was known.
  await new Promise(resolve => setTimeout(resolve, 5_100))
  t.equal((await read()).get('kobana_queues_readable'), 1)
})

async function startCounted(t: Test, env: Record<string, string>) {
  const database = await openTestDatabase(t)
  const people = await seedTwoOrganizations(database)
  const lines: string[] = []
  const log = { info: (details: object) => void lines.push(JSON.stringify(details)) }
  const telling = await startTelling(parseConfig(env), { database, log })
  t.teardown(() => telling.stop())
  const { metrics } = telling
  if (!metrics) throw new Error('nothing is counted')
  const { app } = await startApp(t, { env, metrics, beside: { database, people } })
  const url = `http://${/"metrics":"([^"]+)"/.exec(lines.join())?.[1]}`
  const read = async () => parseMetrics(await (await fetch(`${url}/metrics`)).text())
  return { app, database, people, url, read }
}
