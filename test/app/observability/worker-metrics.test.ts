import { test } from 'tap'
import { startWorker } from '../../../lib/jobs/start-worker.ts'
import { createMetrics, type Metrics } from '../../../lib/metrics/metrics.ts'
import { createWorkerObserver } from '../../../lib/metrics/worker-observer.ts'
import { eventually, silent, startJobs } from '../../lib/jobs/support/start-jobs.ts'
import { addAddress, listen } from '../../lib/mail/smtp/support/listen.ts'
import { beginData, greetServer } from '../../lib/mail/smtp/support/smtp-client.ts'
import { startWebhooks } from '../webhooks/start-webhooks.ts'
import { parseMetrics } from './parse-metrics.ts'

test('mail that comes and messages that are read are counted by what came of them', async t => {
  const { database, jobs, people } = await startJobs(t)
  const metrics = createMetrics()
  const observer = createWorkerObserver(metrics)
  await addAddress(database, people.billing, { address: 'counted@inbox.test' })
  const { port } = await listen(t, database, { onReply: observer.mail, maxMessageBytes: 2_000 })
  const client = await greetServer(t, port)
  for (const text of [
    'Subject: one\r\n\r\nread me\r\n.\r\n',
    `Subject: two\r\n\r\n${'x'.repeat(900)}\r\n`.repeat(3).concat('.\r\n'),
  ]) {
    await beginData(client, 'counted@inbox.test')
    client.send(text)
    await client.reply()
  }
  t.match(await read(metrics), {
    'kobana_smtp_messages_total{reply="2xx"}': 1,
    'kobana_smtp_messages_total{reply="5xx"}': 1,
  })
  const worker = await startWorker({ database, jobs, log: silent, observer })
  t.teardown(() => worker.stop())
  await eventually(async () =>
    Object.keys(await read(metrics)).some(name => name.includes('kobana_messages')),
  )
  t.equal((await read(metrics))['kobana_messages_total{outcome="processed"}'], 1)
})

test('attempts at deliveries are counted by what came of them', async t => {
  const metrics = createMetrics()
  const { receiver, create, publish, settled } = await startWebhooks(t, {
    observer: createWorkerObserver(metrics),
  })
  const { id } = await create()
  receiver.reactions.push(500)
  await publish('counted')
  await settled(id)
  await eventually(async () => {
    const samples = await read(metrics)
    return (
      samples['kobana_webhook_attempts_total{outcome="http_error"}'] === 1 &&
      samples['kobana_webhook_attempts_total{outcome="succeeded"}'] === 1
    )
  })
})

async function read({ registry }: Metrics): Promise<Record<string, number>> {
  return Object.fromEntries(parseMetrics(await registry.metrics()))
}
