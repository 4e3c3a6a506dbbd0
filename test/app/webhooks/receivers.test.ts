import { test } from 'tap'
import { publishEvent } from '../../../lib/webhooks/publish-event.ts'
import { eventually } from '../../lib/jobs/support/start-jobs.ts'
import { toRecord } from '../resources/answers.ts'
import { createPerson } from '../resources/person.ts'
import { startReceiver } from './start-receiver.ts'
import { hastySchedule, startWebhooks } from './start-webhooks.ts'

test('a receiver that', async t => {
  const once = { ...hastySchedule, retryAfter: [] }
  const { bia, receiver, create, publish, settled } = await startWebhooks(t, {
    schedule: once,
    deadline: 500,
  })
  const deliver = async (key: string) => {
    const { id } = await create()
    await publish(key)
    const [delivery] = await settled(id)
    const webhook = toRecord(await bia.get(`/webhooks/${id}`))
    await bia.delete(`/webhooks/${id}`)
    return { delivery, webhook, messages: receiver.received.splice(0) }
  }

  await t.test('says that it is gone is disabled at once', async t => {
    receiver.reactions.push(410)
    const { delivery, webhook } = await deliver('gone')
    t.match(delivery, { status: 'dead', failure: { code: 'gone' } })
    t.match(webhook, { enabled: false, disabled_reason: /410/, version: 2 })
    t.type(webhook.disabled_at, 'string')
  })

  await t.test('redirects is not followed', async t => {
    receiver.reactions.push(response => response.writeHead(307, { location: '/elsewhere' }).end())
    const { delivery, messages } = await deliver('redirect')
    t.match(delivery, { status: 'dead', failure: { code: 'redirected' }, attempts: [{ status: 307 }] })
    t.same(
      messages.map(({ path }) => path),
      ['/hooks'],
    )
  })

  await t.test('does not answer in time has failed', async t => {
    receiver.reactions.push(() => {})
    const { delivery } = await deliver('slow')
    t.match(delivery, { status: 'dead', failure: { code: 'timeout' }, attempts: [{ status: null }] })
    t.ok(Number(delivery?.attempts[0]?.latency_ms) >= 450)
  })

  await t.test('hangs up has failed', async t => {
    receiver.reactions.push(response => response.destroy())
    t.match((await deliver('hung up')).delivery, { failure: { code: 'connection_failed' } })
  })

  await t.test('does not speak HTTP has failed', async t => {
    receiver.reactions.push(response => response.socket?.end('SSH-2.0-OpenSSH_9.6\r\n'))
    t.match((await deliver('no HTTP')).delivery, { failure: { code: 'invalid_response' } })
  })

  await t.test('answers without end is listened to for a kilobyte', async t => {
    let sent = 0
    receiver.reactions.push(response => {
      const chunk = Buffer.alloc(65_536, 'a\u0000')
      const more = () => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length
      }
      response
        .writeHead(200)
        .on('drain', more)
        .on('error', () => {})
      more()
    })
    const { delivery } = await deliver('endless')
    t.match(delivery, { status: 'succeeded' })
    t.match(delivery?.attempts[0]?.response_excerpt, /^(?:a\uFFFD){512}$/)
    t.ok(sent < 50_000_000, `${sent} bytes were sent`)
  })

  await t.test('answers with a compressed bomb is not unpacked', async t => {
    receiver.reactions.push(response =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip'),
    )
    t.match((await deliver('compressed')).delivery, {
      status: 'succeeded',
      attempts: [{ response_excerpt: 'not gzip' }],
    })
  })

  await t.test('drips its answer has answered by its status', async t => {
    receiver.reactions.push(response => {
      response.writeHead(202).write('begun')
      response.on('error', () => {})
    })
    t.match((await deliver('dripping')).delivery, {
      status: 'succeeded',
      attempts: [{ status: 202, response_excerpt: 'begun' }],
    })
  })
})

test('a webhook whose every attempt fails for too long is disabled, with the reason in sight', async t => {
  const schedule = { ...hastySchedule, retryAfter: [1, 1, 1], giveUpAfter: 0.5 }
  const { bia, receiver, create, publish, settled, database, tenant } = await startWebhooks(t, { schedule })
  const { id } = await create()
  receiver.reactions.push(500, 500, 500, 500)
  await publish('failing')
  const [delivery] = await settled(id)
  t.match(delivery, { status: 'dead', failure: { code: 'webhook_disabled' }, attempt_count: 2 })
  const disabled = toRecord(await bia.get(`/webhooks/${id}`))
  t.match(disabled, { enabled: false, disabled_reason: /Every attempt has failed/, version: 2 })

  t.equal((await bia.patch(`/webhooks/${id}`, { enabled: true }, { 'if-match': '"1"' })).status, 412)
  const enabled = await bia.patch(`/webhooks/${id}`, { enabled: true }, { 'if-match': '"2"' })
  t.match(enabled.body, {
    data: { enabled: true, disabled_reason: null, disabled_at: null, failing_since: null },
  })
  receiver.reactions.splice(0)
  await publish('mended')
  t.match(await settled(id, 2), [{ status: 'succeeded' }, { status: 'dead' }])
  const rows = await database.inTenant(tenant, trx => trx.selectFrom('webhooks').select('secret').execute())
  for (const { secret } of rows) t.notMatch(secret, /whsec/, 'secrets do not show at rest')
})

test('receivers of one workspace that keep everybody waiting do not keep other workspaces waiting', async t => {
  const once = { ...hastySchedule, retryAfter: [] }
  const options = { schedule: once, concurrency: 2, deadline: 3_000 }
  const { app, people, database, create, publish, receiver, settled } = await startWebhooks(t, options)
  const slow = await create()
  receiver.reactions.push(...Array.from({ length: 4 }, () => () => {}))
  await publish('1')
  await eventually(async () => receiver.received.length > 0)
  for (const key of ['2', '3', '4']) await publish(key)

  const other = await startReceiver(t)
  const leo = createPerson(app, people.leo)
  await leo.post('/webhooks', { url: other.url, event_types: ['email.processed'] })
  const event = { type: 'email.processed', key: 'other', data: {} } as const
  await database.inTenant(people.main, trx => publishEvent(trx, people.main, event))
  await eventually(async () => other.received.length === 1)
  t.equal(receiver.received.length, 1, 'while the first of the slow ones is still being waited for')
  receiver.reactions.splice(0)
  t.equal((await settled(slow.id, 4)).filter(({ status }) => status === 'succeeded').length, 3)
})

test('without the allowance nothing is sent inside', async t => {
  const { receiver, create, publish, settled } = await startWebhooks(t, {
    allowPrivate: false,
    schedule: { ...hastySchedule, retryAfter: [] },
  })
  const { id } = await create()
  await publish('inside')
  t.match(await settled(id), [
    {
      status: 'dead',
      failure: { code: 'address_refused' },
      attempts: [{ status: null, error_code: 'address_refused' }],
    },
  ])
  t.same(receiver.received, [])
})
