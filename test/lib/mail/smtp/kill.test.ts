import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import tap, { test } from 'tap'
import type { Database, Tenant } from '../../../../lib/database/database.ts'
import { type DatabaseLocation, openDatabase } from '../../../../lib/database/open-database.ts'
import { createJobs } from '../../../../lib/jobs/jobs.ts'
import { upsertRule } from '../../../../lib/rules/upsert-rule.ts'
import { createSecretBox } from '../../../../lib/secrets/secret-box.ts'
import { createWebhook } from '../../../../lib/webhooks/repository.ts'
import { createTestLocation } from '../../../app/support/open-test-database.ts'
import { seedTwoOrganizations } from '../../../app/support/seed-two-organizations.ts'
import { startReceiver } from '../../../app/webhooks/start-receiver.ts'
import { eventually, silent } from '../../jobs/support/start-jobs.ts'
import { addInbox } from '../support/add-inbox.ts'
import { type MailWorker, runMailWorker } from './support/run-mail-worker.ts'
import { type Letter, sendPersistently } from './support/send-persistently.ts'

/** The worker is killed when so many messages have been accepted; the last time with its queue full. */
const kills = [150, 450, 750, 1_000]
const letters = 1_000
const secretsKey = 'a key for the secrets of this test'

// Well under a minute and a half where nothing else runs.
tap.setTimeout(290_000)
const receiver = await startReceiver(tap)

test('of a thousand messages none is lost and none takes effect twice, however often the worker is killed', async t => {
  const location = await createTestLocation(t)
  await setUp(location)
  const port = await findFreePort()
  const start = () => runMailWorker(t, { location, port, secretsKey })
  let worker = start()
  let restarting = Promise.resolve()
  const restart = async () => {
    // At any point of what it does, rather than just after an answer.
    await delay(Math.random() * 40)
    await worker.end('SIGKILL')
    await letTimePass(location)
    worker = start()
  }

  const begin = Date.now()
  const retries = await sendPersistently(compose(), {
    port,
    lanes: 10,
    patience: 180_000,
    onAccepted: accepted => {
      if (kills.includes(accepted)) restarting = restarting.then(restart)
    },
  })
  await restarting
  t.comment(`accepted after ${Date.now() - begin} ms, ${retries} tries in vain`)
  await eventually(() => isIdle(location, worker), 200)
  t.equal(await worker.end('SIGTERM'), 0)
  t.comment(`done after ${Date.now() - begin} ms`)

  const found = await readOutcome(location)
  t.same(
    found.emails,
    { open: 800, picky: 150, broken: 50, elsewhere: 100 },
    'each message once, in each inbox',
  )
  t.same(found.endings, [
    { inbox: 'broken', status: 'failed', explained: true, count: 50 },
    { inbox: 'elsewhere', status: 'processed', explained: false, count: 100 },
    { inbox: 'open', status: 'processed', explained: false, count: 800 },
    { inbox: 'picky', status: 'rejected', explained: true, count: 150 },
  ])
  t.same(found.operations, [
    { status: 'failed', explained: true, by_itself: true, count: 50 },
    { status: 'succeeded', explained: false, by_itself: true, count: 1_050 },
  ])
  t.same(found.content, { texts: 900, attachments: 900, contents: 900, extractions: 900, labels: 800 })
  t.same(found.matches, { matched: 800, counted: 800 })
  t.same(found.events, [
    { type: 'email.failed', events: 50, emails: 50, deliveries: 50 },
    { type: 'email.processed', events: 900, emails: 900, deliveries: 800 },
    { type: 'email.rejected', events: 150, emails: 150, deliveries: 150 },
    { type: 'rule.matched', events: 800, emails: 800, deliveries: 0 },
  ])
  if (location.databaseUrl === null) {
    t.same(found.deliveries, [{ status: 'pending', jobs: 1_000, count: 1_000 }])
    return
  }
  t.same(found.deliveries, [{ status: 'succeeded', jobs: 0, count: 1_000 }])
  const told = receiver.received.map(({ headers }) => headers['webhook-id'])
  t.equal(new Set(told).size, 1_000, 'and the receiver was told of each')
  t.comment(`${told.length - 1_000} of the webhooks came twice`)
})

/** Four inboxes, a rule and a webhook. Whoever opens the embedded database has it alone. */
async function setUp(location: DatabaseLocation): Promise<void> {
  const database = await openDatabase(location)
  const jobs = createJobs(database, { log: silent })
  await jobs.start()
  await jobs.stop()
  const { billing, main } = await seedTwoOrganizations(database)
  for (const name of ['open', 'picky', 'broken']) await add(database, billing, name)
  await add(database, main, 'elsewhere')
  await database.inTenant(billing, async trx => {
    const settings = { secretBox: createSecretBox([secretsKey]), allowPrivate: true }
    const told = ['email.processed', 'email.failed', 'email.rejected'] as const
    const webhook = { url: receiver.url, event_types: [...told] }
    await createWebhook(trx, billing, { webhook, settings })
    const condition = { field: 'extraction', operator: 'equals', value: 'cnpj' } as const
    const actions = { label: ['supplier'], notify: true as const }
    const rule = { key: 'supplier', name: 'Supplier', conditions: [condition], actions }
    await upsertRule(trx, billing, { rule, ifMatch: undefined })
  })
  await database.close()
}

async function add(database: Database, tenant: Tenant, name: string): Promise<void> {
  const id = await addInbox(database, tenant, name === 'picky' ? ['@friend.test'] : null)
  const change = 'update inboxes set name = $2, address = $3 where id = $1'
  await database.pool.query(change, [id, name, `${name}@acme.test`])
}

/** 800 to one inbox, 100 of them to another organization's as well; 150 not allowed, 50 that cannot be read. */
function compose(): Letter[] {
  return Array.from({ length: letters }, (_, index) => {
    const place = index % 20
    const to =
      place === 19 ? ['broken'] : place > 15 ? ['picky'] : place < 2 ? ['open', 'elsewhere'] : ['open']
    const messageId = `${index}@supplier.test`
    const raw = place === 19 ? toUnreadable(messageId) : toReadable(messageId)
    return { messageId, raw, to: to.map(name => `${name}@acme.test`) }
  })
}

function toReadable(messageId: string): string {
  return [
    'From: Carla <carla@supplier.test>',
    `Message-ID: <${messageId}>`,
    'Subject: Pedido',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    '',
    'CNPJ 11.222.333/0001-81',
    '--b',
    'Content-Type: text/csv; name=itens.csv',
    'Content-Disposition: attachment; filename=itens.csv',
    '',
    'item;valor',
    '--b--',
    '',
  ].join('\r\n')
}

function toUnreadable(messageId: string): string {
  const nested = Array.from(
    { length: 30 },
    (_, level) => `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`,
  )
  return `From: carla@supplier.test\r\nMessage-ID: <${messageId}>\r\n${nested.join('')}`
}

/**
 * On a server a killed worker's jobs are taken back when their minute is over; here it passes at once. The
 * embedded engine takes them back when it starts.
 */
async function letTimePass(location: DatabaseLocation): Promise<void> {
  if (location.databaseUrl === null) return
  const database = await openDatabase(location)
  // What the server had been told by the killed worker, it still does.
  await delay(300)
  await database.pool.query(
    `update pgboss.job set started_on = started_on - interval '1 minute' where state = 'active'`,
  )
  await database.close()
}

async function isIdle(location: DatabaseLocation, worker: MailWorker): Promise<boolean> {
  if (location.databaseUrl === null) return worker.lastLine() === 'unfinished 0'
  const database = await openDatabase(location)
  const { rows } = await database.pool.query(
    `select from pgboss.job where state in ('created', 'retry', 'active') limit 1`,
  )
  await database.close()
  if (rows.length > 0) await delay(500)
  return rows.length === 0
}

async function readOutcome(location: DatabaseLocation) {
  const database = await openDatabase(location)
  const ask = async (query: string) => (await database.pool.query(query)).rows
  const emails = await ask(
    `select inboxes.name, count(*)::int as count, count(distinct message_id)::int as distinct
    from emails join inboxes on inboxes.id = inbox_id group by 1`,
  )
  const outcome = {
    emails: Object.fromEntries(
      emails.map(({ name, count, distinct }) => [name, count === distinct ? count : [count, distinct]]),
    ),
    endings: await ask(
      `select inboxes.name as inbox, emails.status, failure_reason > '' is true as explained, count(*)::int
      from emails join inboxes on inboxes.id = inbox_id group by 1, 2, 3 order by 1, 2`,
    ),
    operations: await ask(
      `select status, error_detail > '' is true as explained, created_by is null as by_itself, count(*)::int
      from operations where kind = 'email.process' group by 1, 2, 3 order by 1`,
    ),
    content: (
      await ask(
        `select (select count(*)::int from email_texts where text is not null) as texts,
          (select count(*)::int from attachments) as attachments,
          (select count(*)::int from attachment_contents) as contents,
          (select count(*)::int from extractions where kind = 'cnpj') as extractions,
          (select count(*)::int from emails where labels = '{supplier}') as labels`,
      )
    )[0],
    matches: (
      await ask(
        `select (select count(*)::int from rule_matches) as matched, matched_count as counted from rules`,
      )
    )[0],
    events: await ask(
      `select type, count(*)::int as events, count(distinct email_id)::int as emails,
        (select count(*)::int from deliveries where event_type = type) as deliveries
      from events group by type order by type`,
    ),
    deliveries: await ask(
      `select status, count(*)::int,
        (select count(*)::int from pgboss.job where name = 'webhook.deliver' and state = 'created') as jobs
      from deliveries group by 1`,
    ),
  }
  await database.close()
  return outcome
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
