import { test } from 'tap'
import { publishEvent } from '../../../lib/webhooks/publish-event.ts'
import { toIds, toRecord, toRefusal } from '../resources/answers.ts'
import { createPerson } from '../resources/person.ts'
import { insertEmail, insertInbox } from '../support/insert-email.ts'
import { processDelivery } from './process-delivery.ts'
import { startWebhooks } from './start-webhooks.ts'

test('deliveries', async t => {
  const { app, database, people, tenant, bia, create, publish } = await startWebhooks(t, { isIdle: true })
  const vera = createPerson(app, people.vera, { workspaceId: tenant.workspaceId })
  const leo = createPerson(app, people.leo)
  const list = async (query = '') => toIds(await vera.get(`/deliveries${query}`)).ids

  const [first, second] = [await create(), await create({ event_types: ['email.processed', 'email.failed'] })]
  const emailId = await insertEmail(database, tenant, { inboxId: await insertInbox(database, tenant) })
  await publish('one')
  await publish('two', 'email.failed')
  await database.inTenant(tenant, trx =>
    publishEvent(trx, tenant, { type: 'email.processed', key: 'three', data: { email_id: emailId } }),
  )
  const all = await list()

  await t.test('of other workspaces are as if they were not there', async t => {
    t.same(await toIds(await leo.get('/deliveries')).ids, [])
    t.equal(toRefusal(await leo.get(`/deliveries/${all[0]}`)), '404 not_found')
    t.equal(toRefusal(await leo.post(`/deliveries/${all[0]}/redeliver`)), '404 not_found')
    t.equal(toRefusal(await bia.post('/deliveries/dlv_1/redeliver')), '404 not_found')
    t.equal(toRefusal(await vera.post(`/deliveries/${all[0]}/redeliver`)), '403 forbidden')
  })

  await t.test('are listed newest first, under filters that are checked', async t => {
    t.equal(all.length, 5)
    t.same([...all].sort().reverse(), all)
    for (const [query, path] of [
      ['?status=lost', 'status'],
      ['?webhook_id=whk_1', 'webhook_id'],
      ['?event_type=email.read', 'event_type'],
      ['?email_id=x', 'email_id'],
      ['?created_after=today', 'created_after'],
      ['?colour=red', 'colour'],
    ]) {
      t.equal(toRefusal(await vera.get(`/deliveries${query}`)), `400 validation_failed ${path}`)
    }
    t.equal((await list(`?webhook_id=${first.id}`)).length, 2)
    t.equal((await list(`?webhook_id=${second.id}&event_type=email.failed`)).length, 1)
    t.equal((await list(`?email_id=${emailId}`)).length, 2)
    t.same(await list('?status=dead'), [])
    t.equal((await list('?status=pending')).length, 5)
    t.same(await list('?created_before=2026-01-01T00:00:00Z'), [])
    t.equal((await list('?created_after=2026-01-01T00:00:00Z&event_type=email.processed')).length, 4)
    const page = toIds(await vera.get('/deliveries?limit=3'))
    const rest = toIds(await vera.get(`/deliveries?limit=3&cursor=${page.next}`))
    t.same([...page.ids, ...rest.ids], all)
  })

  await t.test('tell of the event and not what was sent', async t => {
    const [id] = await list(`?email_id=${emailId}&webhook_id=${first.id}`)
    const delivery = toRecord(await vera.get(`/deliveries/${id}`))
    t.match(delivery, {
      webhook_id: first.id,
      event_type: 'email.processed',
      email_id: emailId,
      status: 'pending',
      failure: null,
      attempt_count: 0,
      attempts: [],
    })
    t.notMatch(JSON.stringify(delivery), /whsec_|"data"/)
  })

  await t.test('by many at once again are one operation, and once more for an idempotency key', async t => {
    const answers = await Promise.all([1, 2, 3].map(() => bia.post(`/deliveries/${all[0]}/redeliver`)))
    const operations = new Set(answers.map(answer => toRecord(answer).id))
    t.same([...new Set(answers.map(({ status }) => status))], [202])
    t.equal(operations.size, 1)
    const headers = { 'idempotency-key': 'redeliver-once' }
    const kept = await bia.post(`/deliveries/${all[1]}/redeliver`, undefined, headers)
    t.same((await bia.post(`/deliveries/${all[1]}/redeliver`, undefined, headers)).body, kept.body)
    t.match(toRecord(kept), {
      kind: 'webhook.deliver',
      status: 'queued',
      resource: { type: 'delivery', id: all[1] },
    })
  })

  await t.test('of an e-mail that is deleted before its event was sent are dead', async t => {
    const [id = ''] = await list(`?email_id=${emailId}&webhook_id=${first.id}`)
    await bia.delete(`/emails/${emailId}`)
    await processDelivery(database, { deliveryId: id, ...tenant, attempt: 1, operationId: null })
    t.match(toRecord(await vera.get(`/deliveries/${id}`)), {
      status: 'dead',
      failure: { code: 'email_deleted' },
    })
  })

  await t.test('go with their webhook', async t => {
    await bia.delete(`/webhooks/${second.id}`)
    t.same(await list(`?webhook_id=${second.id}`), [])
    t.equal((await list()).length, 2)
  })
})
