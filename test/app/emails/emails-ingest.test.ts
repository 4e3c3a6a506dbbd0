import type { FastifyInstance } from 'fastify'
import { test } from 'tap'
import { processEmail } from '../../../lib/mail/process-email.ts'
import { bearer, startApp, type TokenOptions } from '../plumbing/start-app.ts'
import { toIds, toRecord, toRefusal } from '../resources/answers.ts'
import { type Answer, createPerson } from '../resources/person.ts'
import { insertInbox } from '../support/insert-email.ts'

const maximum = 20_000

test('putting a message into an inbox', async t => {
  const { app, database, people } = await startApp(t, { config: { maxMessageBytes: maximum } })
  await app.jobs.start()
  t.teardown(() => app.jobs.stop())
  const { billing } = people
  const inboxId = await insertInbox(database, billing)
  const bruno = createPerson(app, people.bruno)
  const ana = createPerson(app, people.ana, { workspaceId: billing.workspaceId })
  const ingest = (raw: string | Buffer, more: Sent = {}) =>
    send(app, { userId: people.bruno, inboxId, raw, ...more })

  await t.test('is refused to viewers, to tokens that only read, and from outside', async t => {
    const raw = toMessage('refused')
    const workspaceId = billing.workspaceId
    t.equal(toRefusal(await ingest(raw, { userId: people.vera, workspaceId })), '403 forbidden')
    const scopes = ['emails:read', 'inboxes:write']
    t.equal(toRefusal(await ingest(raw, { token: { scopes } })), '403 insufficient_scope')
    t.equal(toRefusal(await ingest(raw, { userId: people.leo })), '404 not_found')
    t.equal(toRefusal(await ingest(raw, { inboxId: 'inb_x' })), '404 not_found')
    t.same(toIds(await bruno.get('/emails')).ids, [])
  })

  await t.test('takes message/rfc822 and nothing else, and no more than it may', async t => {
    for (const type of ['application/json', 'text/plain', 'message/partial', 'nonsense']) {
      t.equal(toRefusal(await ingest('{"a": 1}', { type })), '415 unsupported_media_type', type)
    }
    t.equal(toRefusal(await ingest(toMessage('large', maximum + 1))), '413 payload_too_large')
    t.equal(toRefusal(await ingest('')), '400 validation_failed')
    const unknown = await ingest(toMessage('query'), { query: '?envelope_from=a@b.test' })
    t.equal(toRefusal(unknown), '400 validation_failed envelope_from')
    t.same(toIds(await bruno.get('/emails')).ids, [])
    t.equal((await ingest(toMessage('exact', maximum))).status, 202)
  })

  await t.test('is refused by an inbox that is paused, until it is active again', async t => {
    await ana.patch(`/inboxes/${inboxId}`, { status: 'paused' })
    const refused = await ingest(toMessage('paused'))
    t.equal(toRefusal(refused), '409 conflict')
    t.match(refused.body, { detail: /paused/ })
    await ana.patch(`/inboxes/${inboxId}`, { status: 'active' })
    t.equal((await ingest(toMessage('paused'))).status, 202)
  })

  await t.test('answers with an operation once the bytes are kept', async t => {
    const raw = Buffer.concat([Buffer.from(toMessage('kept')), Buffer.from([0, 0xff, 0xfe])])
    const answer = await ingest(raw, { type: 'Message/RFC822; charset=x' })
    const operation = toRecord(answer)
    t.equal(answer.status, 202)
    t.equal(answer.headers.location, `/api/v1/operations/${operation.id}`)
    t.match(operation, { kind: 'email.process', status: 'queued', created_by: people.bruno, error: null })
    t.same((await bruno.get(`/operations/${operation.id}`)).body, answer.body)

    const [id = ''] = toIds(await bruno.get('/emails?status=received&limit=1')).ids
    t.match(operation, { resource: { type: 'email', id } })
    t.match(toRecord(await bruno.get(`/emails/${id}`)), {
      status: 'received',
      message_id: 'kept@sender.test',
      size_bytes: raw.length,
      text: null,
      processed_at: null,
    })
    const headers = bearer(people.bruno)
    const { rawPayload } = await app.inject({ url: `/api/v1/emails/${id}/raw`, headers })
    t.same(rawPayload, raw)
  })

  await t.test('of a message that the inbox has answers with the first operation', async t => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => ingest(toMessage('same'))))
    t.same(
      answers.map(({ status }) => status),
      [202, 202, 202, 202],
    )
    t.equal(new Set(answers.map(answer => toRecord(answer).id)).size, 1)
    const other = await insertInbox(database, billing)
    const elsewhere = await ingest(toMessage('same'), { inboxId: other })
    t.not(toRecord(elsewhere).id, answers[0] && toRecord(answers[0]).id, 'another inbox is another e-mail')
  })

  await t.test('is done once per idempotency key, also without a Message-ID', async t => {
    const raw = 'Subject: none\r\n\r\nno id'
    const first = await ingest(raw, { key: 'ingest-once' })
    const again = await ingest(raw, { key: 'ingest-once' })
    t.same([again.status, again.body], [202, first.body])
    t.equal(toRefusal(await ingest(`${raw}!`, { key: 'ingest-once' })), '422 idempotency_key_reused')
    t.not(toRecord(await ingest(raw, { key: 'ingest-twice' })).id, toRecord(first).id)
  })

  await t.test('is found once it is processed', async t => {
    const { id: operationId, resource } = toRecord(await ingest(toMessage('found', 0, 'Segunda via')))
    const emailId = t.has(resource, { type: 'email' }) && toResourceId(resource)
    await processEmail(database, { emailId: String(emailId), operationId, ...billing })
    t.match(toRecord(await bruno.get(`/operations/${operationId}`)), { status: 'succeeded', error: null })
    t.same(toIds(await bruno.get('/emails?q=segunda&status=processed')).ids, [emailId])
    t.match(toRecord(await bruno.get(`/emails/${emailId}`)), {
      status: 'processed',
      from: { address: 'joe@sender.test', name: 'Joe' },
      to: [{ address: 'billing@acme.test', name: null }],
      subject: 'Segunda via',
      version: 1,
    })
  })
})

interface Sent {
  userId?: string
  workspaceId?: string
  inboxId?: string
  token?: TokenOptions
  type?: string
  query?: string
  key?: string
}

async function send(
  app: FastifyInstance,
  {
    userId,
    inboxId,
    raw,
    token,
    type = 'message/rfc822',
    query = '',
    ...rest
  }: Sent & { userId: string; raw: string | Buffer },
): Promise<Answer> {
  const response = await app.inject({
    method: 'POST',
    url: `/api/v1/inboxes/${inboxId}/emails${query}`,
    headers: {
      ...bearer(userId, token),
      'content-type': type,
      ...(rest.workspaceId === undefined ? {} : { 'x-workspace-id': rest.workspaceId }),
      ...(rest.key === undefined ? {} : { 'idempotency-key': rest.key }),
    },
    payload: raw,
  })
  return { status: response.statusCode, headers: response.headers, body: response.json() }
}

/** A message with that Message-ID, `size` bytes long if that is more than it needs. */
function toMessage(id: string, size = 0, subject = 'Hello'): string {
  const lines = [
    'From: Joe <joe@sender.test>',
    'To: billing@acme.test',
    `Subject: ${subject}`,
    `Message-ID: <${id}@sender.test>`,
    '',
    'Hello',
  ]
  return lines.join('\r\n').padEnd(size, 'x')
}

function toResourceId(resource: unknown): string {
  return typeof resource === 'object' && resource !== null && 'id' in resource ? String(resource.id) : ''
}
