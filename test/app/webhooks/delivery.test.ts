import { test } from 'tap'
import { eventually } from '../../lib/jobs/support/start-jobs.ts'
import { toRecord, toRefusal } from '../resources/answers.ts'
import { alter } from '../support/alter.ts'
import { startWebhooks, verify } from './start-webhooks.ts'

test('a delivery over a real socket', async t => {
  const { bia, receiver, create, publish, settled, ended } = await startWebhooks(t)

  await t.test('is signed, and verified by a library of somebody else', async t => {
    const { id, secret } = await create()
    await publish('signed')
    const [delivery] = await settled(id)
    const [message] = receiver.received.splice(0)
    if (!message) throw new Error('nothing was received')
    t.throws(() => verify(alter(secret, -4), message), 'not with another secret')
    t.match(verify(secret, message), { type: 'email.processed', data: { key: 'signed' } })
    t.match(JSON.parse(message.body).timestamp, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    t.match(message.headers, { 'content-type': 'application/json', 'webhook-id': delivery?.event_id })
    t.match(delivery, {
      status: 'succeeded',
      failure: null,
      next_attempt_at: null,
      attempts: [{ number: 1, status: 200, error_code: null, response_excerpt: 'status 200' }],
    })
    await bia.delete(`/webhooks/${id}`)
  })

  await t.test('is tried again after a failure, under the same id', async t => {
    const { id, secret } = await create()
    receiver.reactions.push(500, 503)
    await publish('retried')
    const [delivery] = await settled(id)
    const messages = receiver.received.splice(0)
    t.match(delivery, { status: 'succeeded', attempt_count: 3 })
    t.same(
      delivery?.attempts.map(({ status, error_code }) => [status, error_code]),
      [
        [500, 'http_error'],
        [503, 'http_error'],
        [200, null],
      ],
    )
    t.equal(new Set(messages.map(({ headers }) => headers['webhook-id'])).size, 1)
    for (const message of messages) t.ok(verify(secret, message))
    t.match((await bia.get(`/webhooks/${id}`)).body, {
      data: { failing_since: null, enabled: true, version: 1 },
    })
    await bia.delete(`/webhooks/${id}`)
  })

  await t.test('is dead after the last attempt, and can be delivered again', async t => {
    const { id } = await create()
    receiver.reactions.push(500, 500, 404)
    await publish('dead')
    const [dead] = await settled(id)
    t.match(dead, {
      status: 'dead',
      attempt_count: 3,
      next_attempt_at: null,
      failure: { code: 'http_error' },
    })
    t.type(toRecord(await bia.get(`/webhooks/${id}`)).failing_since, 'string')

    receiver.reactions.push(418)
    const failed = await ended(await bia.post(`/deliveries/${dead?.id}/redeliver`))
    t.match(failed, { status: 'failed', error: { code: 'http_error', detail: /status was 418/ } })
    t.match((await settled(id))[0], { status: 'dead', attempt_count: 4, next_attempt_at: null })

    const answer = await bia.post(`/deliveries/${dead?.id}/redeliver`)
    t.equal(answer.status, 202)
    t.equal(answer.headers.location, `/api/v1/operations/${toRecord(answer).id}`)
    t.match(await ended(answer), {
      status: 'succeeded',
      error: null,
      resource: { type: 'delivery', id: dead?.id },
    })
    t.match((await settled(id))[0], { status: 'succeeded', failure: null, attempt_count: 5 })
    const ids = receiver.received.splice(0).map(({ headers }) => headers['webhook-id'])
    t.same([ids.length, new Set(ids).size], [5, 1])

    receiver.reactions.push(500)
    t.match(await ended(await bia.post(`/deliveries/${dead?.id}/redeliver`)), { status: 'failed' })
    t.match((await settled(id))[0], { status: 'succeeded', attempt_count: 6 }, 'what was delivered stays so')
    receiver.received.splice(0)
    await bia.delete(`/webhooks/${id}`)
  })

  await t.test('waits as long as the receiver asks', async t => {
    const { id } = await create()
    receiver.reactions.push(response => response.writeHead(429, { 'retry-after': '1' }).end())
    const begin = Date.now()
    await publish('patient')
    await settled(id)
    t.ok(Date.now() - begin >= 1_000)
    t.equal(receiver.received.splice(0).length, 2)
    await bia.delete(`/webhooks/${id}`)
  })

  await t.test('is signed with both secrets while a rotation overlaps', async t => {
    const { id, secret: old } = await create()
    const rotate = async (overlap_hours: number) => {
      const answer = await bia.post(`/webhooks/${id}/rotate-secret`, { overlap_hours })
      return String(toRecord(answer).secret)
    }
    const fresh = await rotate(1)
    await publish('overlap')
    await settled(id)
    const [message] = receiver.received.splice(0)
    if (!message) throw new Error('nothing was received')
    t.equal(String(message.headers['webhook-signature']).split(' ').length, 2)
    for (const secret of [old, fresh]) t.ok(verify(secret, message))

    const last = await rotate(0)
    await publish('no overlap')
    await settled(id, 2)
    const [next] = receiver.received.splice(0)
    if (!next) throw new Error('nothing was received')
    for (const secret of [old, fresh]) t.throws(() => verify(secret, next))
    t.ok(verify(last, next))
    await bia.delete(`/webhooks/${id}`)
  })

  await t.test('is once for each event and webhook, and only of types that it subscribes to', async t => {
    const [first, second, other] = [
      await create(),
      await create(),
      await create({ event_types: ['email.failed'] }),
    ]
    await publish('once')
    await publish('once')
    for (const { id } of [first, second]) t.match(await settled(id), [{ status: 'succeeded' }])
    t.same(await settled(other.id, 0), [])
    t.equal(receiver.received.splice(0).length, 2)
    for (const { id } of [first, second, other]) await bia.delete(`/webhooks/${id}`)
    await publish('nobody listens')
  })

  await t.test('of a test event is made once, also while the webhook is disabled', async t => {
    const { id, secret } = await create({ event_types: ['email.failed'], enabled: false })
    receiver.reactions.push(500)
    const failed = await ended(await bia.post(`/webhooks/${id}/test`))
    t.match(failed, { kind: 'webhook.test', status: 'failed', error: { code: 'http_error' } })
    t.match(await ended(await bia.post(`/webhooks/${id}/test`)), { status: 'succeeded' })
    const messages = receiver.received.splice(0)
    t.equal(messages.length, 2)
    for (const message of messages) t.match(verify(secret, message), { type: 'webhook.test' })
    t.match((await bia.get(`/webhooks/${id}`)).body, { data: { failing_since: null } })
    await bia.delete(`/webhooks/${id}`)
  })

  await t.test('to a webhook that was disabled or deleted meanwhile ends without being sent', async t => {
    const { id } = await create()
    receiver.reactions.push(500)
    await publish('disabled meanwhile')
    await eventually(() => receiver.received.length === 1)
    await bia.patch(`/webhooks/${id}`, { enabled: false })
    const [delivery] = await settled(id)
    t.match(delivery, { status: 'dead', failure: { code: 'webhook_disabled' } })
    t.equal(receiver.received.splice(0).length, 1)
    t.equal(toRefusal(await bia.post(`/deliveries/${delivery?.id}/redeliver`)), '409 conflict')
    await publish('while it is disabled')
    t.equal((await settled(id)).length, 1, 'and what happens then is not kept for it')
    await bia.delete(`/webhooks/${id}`)
    t.equal(toRefusal(await bia.get(`/deliveries/${delivery?.id}`)), '404 not_found')
  })
})
