import { request as httpRequest } from 'node:http'
import { test } from 'tap'
import { createId } from '../../../lib/id/id.ts'
import { toPort } from '../plumbing/notes-routes.ts'
import { bearer, startApp } from '../plumbing/start-app.ts'
import { createPerson } from '../resources/person.ts'
import { insertEmail, insertInbox } from '../support/insert-email.ts'
import { recordOf } from './audit-events.ts'

test('what is recorded of requests over REST', async t => {
  const started = await startApp(t)
  const { app, database, people } = started
  const { billing, acme } = people
  const headers = { 'user-agent': 'billing-sync/2.1 (linux) undici' }
  const bia = createPerson(app, people.bia, { workspaceId: billing.workspaceId })
  const vera = createPerson(app, people.vera, { workspaceId: billing.workspaceId })
  const inboxId = await insertInbox(database, billing)
  const emailId = await insertEmail(database, billing, { inboxId })
  const does = (work: () => Promise<unknown>) => recordOf(started, work)

  await t.test('are no reads, and nothing of whom nobody knows', async t => {
    const events = await does(async () => {
      await bia.get('/inboxes')
      await bia.get(`/inboxes/${createId('inb')}`)
      await app.inject({ method: 'POST', url: '/api/v1/inboxes', payload: {} })
      const foreign = { authorization: 'Bearer nonsense' }
      await app.inject({ method: 'DELETE', url: `/api/v1/emails/${emailId}`, headers: foreign })
      await app.inject({ method: 'POST', url: '/api/v1/nowhere', headers: bearer(people.bia) })
    })
    t.same(events, [])
  })

  await t.test('is a write: who, through what, what, on what, and how it ended', async t => {
    const body = { address: 'secret-address@acme.test', name: 'Secret name' }
    const [event, ...others] = await does(() => bia.post('/inboxes', body, headers))
    t.same(others, [])
    t.match(event, {
      organization_id: acme.id,
      workspace_id: billing.workspaceId,
      actor_id: people.bia,
      client_id: 'test-client',
      client_name: 'billing-sync',
      client_version: '2.1',
      via: 'rest',
      action: 'inboxes_create',
      resource_type: 'inbox',
      resource_id: /^inb_/,
      outcome: 'succeeded',
      code: null,
      status: 201,
      replayed: false,
      counts: null,
      request_id: /^req_/,
    })
    t.ok(Math.abs(Date.parse(event?.occurred_at ?? '') - Date.now()) < 60_000)
    t.notMatch(JSON.stringify(event), /secret/i)
  })

  await t.test('names the record of the path, or the one that was answered', async t => {
    const address = `${inboxId}@inbox.test`
    const events = await does(async () => {
      await bia.patch(`/emails/${emailId}`, { read: true })
      await bia.put('/inboxes', { address, name: 'Upserted' })
      await bia.post(`/inboxes/${inboxId}/allowed-senders`, { patterns: ['a@b.test'] })
      await bia.patch(`/members/${people.bruno}`, { role: 'viewer' })
    })
    t.same(
      events.map(({ action, resource_type, resource_id }) => [action, resource_type, resource_id]),
      [
        ['emails_update', 'email', emailId],
        ['inboxes_upsert', 'inbox', inboxId],
        ['allowed_senders_add', 'inbox', inboxId],
        ['members_update', 'member', people.bruno],
      ],
    )
  })

  await t.test('is a refusal, with its code, from authentication on', async t => {
    const blind = createPerson(app, people.bia, { scopes: ['emails:read'] })
    const elsewhere = createPerson(app, people.bia, { workspaceId: people.main.workspaceId })
    const absent = createId('eml')
    const events = await does(async () => {
      await blind.patch(`/emails/${emailId}`, { read: true })
      await elsewhere.patch(`/emails/${emailId}`, { read: true })
      await vera.patch(`/emails/${emailId}`, { read: true })
      await bia.patch(`/emails/${emailId}`, { read: 'perhaps', 'a secret': 1 })
      await bia.patch(`/emails/${absent}`, { read: true })
      await bia.patch('/emails/a%20secret', { read: true })
      await bia.patch(`/emails/${emailId}`, { read: false }, { 'if-match': '"77"' })
    })
    t.same(
      events.map(event => [event.outcome, event.status, event.code, event.workspace_id, event.resource_id]),
      [
        ['refused', 403, 'insufficient_scope', null, emailId],
        ['refused', 404, 'workspace_not_found', null, emailId],
        ['refused', 403, 'forbidden', billing.workspaceId, emailId],
        ['refused', 400, 'validation_failed', billing.workspaceId, emailId],
        ['refused', 404, 'not_found', billing.workspaceId, absent],
        ['refused', 404, 'not_found', billing.workspaceId, null],
        ['refused', 412, 'precondition_failed', billing.workspaceId, emailId],
      ],
    )
    t.notMatch(JSON.stringify(events), new RegExp(`secret|perhaps|${people.main.workspaceId}`))
  })

  await t.test('is what acts on the organization, without a workspace', async t => {
    const [created] = await does(() => bia.post('/workspaces', { name: 'Audited' }))
    t.match(created, {
      organization_id: acme.id,
      workspace_id: null,
      action: 'workspaces_create',
      resource_type: 'workspace',
      resource_id: /^wsp_/,
      status: 201,
    })
  })

  await t.test('is a repetition, as such, and what its key is refused', async t => {
    const key = { 'idempotency-key': 'audited' }
    const events = await does(async () => {
      await bia.patch(`/emails/${emailId}`, { labels: ['a'] }, key)
      await bia.patch(`/emails/${emailId}`, { labels: ['a'] }, key)
      await bia.patch(`/emails/${emailId}`, { labels: ['b'] }, key)
      await bia.patch(
        `/emails/${emailId}`,
        { labels: ['c'] },
        { ...key, 'if-match': '"77"', 'idempotency-key': 'no' },
      )
      await bia.patch(
        `/emails/${emailId}`,
        { labels: ['c'] },
        { ...key, 'if-match': '"77"', 'idempotency-key': 'no' },
      )
    })
    t.same(
      events.map(event => [event.outcome, event.status, event.code, event.replayed]),
      [
        ['succeeded', 200, null, false],
        ['succeeded', 200, null, true],
        ['refused', 422, 'idempotency_key_reused', false],
        ['refused', 412, 'precondition_failed', false],
        ['refused', 412, 'precondition_failed', true],
      ],
    )
  })

  await t.test('is the client only as far as it says who it is', async t => {
    const path = `/emails/${emailId}`
    const agents = ['curl/8.5.0', 'Mozilla/5.0 (X11; Linux)', 'just-a-name', '(nothing)', '']
    const events = await does(async () => {
      for (const agent of agents) await bia.patch(path, { read: true }, { 'user-agent': agent })
    })
    t.same(
      events.map(event => [event.client_name, event.client_version]),
      [
        ['curl', '8.5.0'],
        ['Mozilla', '5.0'],
        ['just-a-name', null],
        [null, null],
        [null, null],
      ],
    )
  })

  await t.test('is also the refusal that nobody waits for', async t => {
    await app.listen({ port: 0, host: '127.0.0.1' })
    const events = await does(async () => {
      const leaving = httpRequest({
        port: toPort(app),
        host: '127.0.0.1',
        method: 'PATCH',
        path: `/api/v1/emails/${createId('eml')}`,
        headers: {
          ...bearer(people.bia),
          'x-workspace-id': billing.workspaceId,
          'content-type': 'application/json',
        },
      })
      leaving.on('error', () => {})
      leaving.end('{"read":true}')
      leaving.on('finish', () => setTimeout(() => leaving.destroy(), 5))
      await new Promise(resolve => setTimeout(resolve, 500))
    })
    t.match(events, [{ outcome: 'refused', status: 404 }])
  })
})
