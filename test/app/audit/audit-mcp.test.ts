import { test } from 'tap'
import { createId } from '../../../lib/id/id.ts'
import { createAgent, no, yes } from '../confirmation/agent.ts'
import { audiences, bearer, startApp } from '../plumbing/start-app.ts'
import { insertEmail, insertInbox } from '../support/insert-email.ts'
import { type EventRow, recordOf } from './audit-events.ts'

test('what is recorded of tool calls', async t => {
  const started = await startApp(t)
  const { app, database, people } = started
  const { billing } = people
  const inboxId = await insertInbox(database, billing)
  const createEmail = () => insertEmail(database, billing, { inboxId })
  const bia = createAgent(app, people.bia)
  const does = (work: () => Promise<unknown>) => recordOf(started, work)
  const toEnds = (events: EventRow[]) =>
    events.map(({ action, outcome, code, status }) => [action, outcome, code, status])

  /** A call with an envelope, or without one as in 2025. */
  const call = (name: string, args: object, { meta, agent }: { meta?: object; agent?: string } = {}) =>
    app.inject({
      method: 'POST',
      url: '/mcp',
      headers: {
        ...bearer(people.bia, { audience: audiences.mcp, clientId: 'desk' }),
        ...(agent !== undefined && { 'user-agent': agent }),
        ...(meta && { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name }),
      },
      payload: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args, ...(meta && { _meta: meta }) },
      },
    })
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }

  await t.test('is one event each, reads included', async t => {
    const id = await createEmail()
    const events = await does(async () => {
      await call('emails_list', { q: 'a secret' })
      await call('emails_get', { id })
      await call('emails_update', { id, read: true })
      await call('me_get', {})
    })
    t.match(events, [
      { action: 'emails_list', via: 'mcp', resource_id: null, outcome: 'succeeded', status: 200 },
      {
        action: 'emails_get',
        resource_type: 'email',
        resource_id: id,
        actor_id: people.bia,
        client_id: 'desk',
      },
      { action: 'emails_update', resource_id: id, workspace_id: billing.workspaceId },
      { action: 'me_get', workspace_id: null, resource_id: people.bia },
    ])
    t.equal(events.length, 4)
    t.notMatch(JSON.stringify(events), /secret/)
  })

  await t.test('names the client as it names itself, in 2026-07-28, and by User-Agent in 2025', async t => {
    const clientInfo = { name: 'Desk\u0000\u202etop', version: '4.2', title: 'x' }
    const events = await does(async () => {
      await call(
        'me_get',
        {},
        { meta: { ...envelope, 'io.modelcontextprotocol/clientInfo': clientInfo }, agent: 'node' },
      )
      await call('me_get', {}, { meta: envelope, agent: 'python-httpx/0.27' })
      await call('me_get', {}, { agent: 'old-client/1.0.3 (x)' })
      await call('me_get', {}, { agent: '' })
    })
    t.same(
      events.map(({ client_name, client_version }) => [client_name, client_version]),
      [
        ['Desk top', '4.2'],
        ['python-httpx', '0.27'],
        ['old-client', '1.0.3'],
        [null, null],
      ],
    )
  })

  await t.test('is a refusal, by the route or before it', async t => {
    const reader = createAgent(app, people.bia, { scopes: ['emails:read'] })
    const vera = createAgent(app, people.vera, { workspaceId: billing.workspaceId })
    const id = createId('eml')
    const events = await does(async () => {
      await bia.call('emails_get', { id })
      await vera.call('emails_update', { id, read: true })
      await bia.call('emails_list', { colour: 'red' })
      await bia.call('emails_get', { id: '..' })
      await bia.call('emails_get', { id: 'x'.repeat(300) })
      await reader.call('emails_update', { id, read: true })
      await bia.call('emails_burn', { id })
    })
    t.same(toEnds(events), [
      ['emails_get', 'refused', 'not_found', 404],
      ['emails_update', 'refused', 'forbidden', 403],
      ['emails_list', 'refused', 'validation_failed', 400],
      ['emails_get', 'refused', 'validation_failed', 400],
      ['emails_get', 'refused', 'uri_too_long', 414],
      ['emails_update', 'refused', 'insufficient_scope', 403],
    ])
    t.ok(events.every(({ workspace_id, via }) => workspace_id === billing.workspaceId && via === 'mcp'))
  })

  await t.test('is a destructive call step by step: asked, declined, done, and done once', async t => {
    const id = await createEmail()
    const args = { id }
    const other = createId('eml')
    const events = await does(async () => {
      await call('emails_delete', args)
      const declined = await bia.call('emails_delete', args)
      await bia.call('emails_delete', args, { state: declined.state, responses: no })
      const { state } = await bia.call('emails_delete', args)
      await bia.call('emails_delete', { id: other }, { state, responses: yes })
      t.equal((await bia.call('emails_delete', args, { state, responses: yes })).verdict, 'done')
      t.equal((await bia.call('emails_delete', args, { state, responses: yes })).verdict, 'done')
      await bia.call('emails_delete', args)
    })
    t.same(toEnds(events), [
      ['emails_delete', 'refused', 'confirmation_required', 409],
      ['emails_delete', 'refused', 'confirmation_required', 409],
      ['emails_delete', 'refused', 'confirmation_declined', 409],
      ['emails_delete', 'refused', 'confirmation_required', 409],
      ['emails_delete', 'refused', 'invalid_params', 400],
      ['emails_delete', 'succeeded', null, 204],
      ['emails_delete', 'succeeded', null, 204],
      ['emails_delete', 'refused', 'not_found', 404],
    ])
    t.same(events.map(({ replayed }) => replayed).indexOf(true), 6)
    t.same(
      events.map(({ resource_type, resource_id }) => [resource_type, resource_id]),
      [id, id, id, id, other, id, id, id].map(id => ['email', id]),
    )
  })

  await t.test('is a document that is read, and nothing of what is only completed or listed', async t => {
    const id = await createEmail()
    const events = await does(async () => {
      await bia.request('tools/list')
      await bia.request('resources/templates/list')
      await bia.request('completion/complete', {
        ref: { type: 'ref/resource', uri: 'kobana://inbox/emails/{id}' },
        argument: { name: 'id', value: '' },
      })
      t.ok((await bia.request('resources/read', { uri: `kobana://inbox/emails/${id}` })).contents)
    })
    t.match(events, [{ action: 'emails_get', via: 'mcp', resource_id: id, outcome: 'succeeded' }])
    t.equal(events.length, 1)
  })

  await t.test('quotes the request that the client was told', async t => {
    const id = await createEmail()
    const told: string[] = []
    const events = await does(async () => {
      for (const [name, args] of [
        ['emails_get', { id: createId('eml') }],
        ['emails_update', { id, read: true, if_match: '"9"' }],
        ['emails_delete', { id: createId('eml') }],
        ['emails_delete', { id, if_match: '"9"' }],
        ['emails_list', { colour: 'red' }],
      ] as const)
        told.push(JSON.parse((await bia.call(name, args)).text).request_id)
      const answer = await call('emails_delete', { id })
      told.push(JSON.parse(answer.json().result.content[0].text).request_id)
    })
    t.same(toEnds(events), [
      ['emails_get', 'refused', 'not_found', 404],
      ['emails_update', 'refused', 'precondition_failed', 412],
      ['emails_delete', 'refused', 'not_found', 404],
      ['emails_delete', 'refused', 'precondition_failed', 412],
      ['emails_list', 'refused', 'validation_failed', 400],
      ['emails_delete', 'refused', 'confirmation_required', 409],
    ])
    t.match(told[0], /^req_/)
    t.same(
      events.map(({ request_id }) => request_id),
      told,
    )
  })
})
