import { createSigner } from 'fast-jwt'
import { test } from 'tap'
import { confirmationKey, startApp } from '../plumbing/start-app.ts'
import { alter } from '../support/alter.ts'
import { insertEmail, insertInbox } from '../support/insert-email.ts'
import { ask, createAgent, no, yes } from './agent.ts'

// What the plugin's own tests prove on toys, with this API's people, clients, workspaces and tokens.

const refused = -32602

test('a yes is good for the person, client, workspace, tool and arguments it was given for', async t => {
  const { app, database, people } = await startApp(t)
  const { billing, support } = people
  const inboxId = await insertInbox(database, billing)
  const [id, other] = [
    await insertEmail(database, billing, { inboxId }),
    await insertEmail(database, billing, { inboxId }),
  ]
  const workspaceId = billing.workspaceId
  const ana = createAgent(app, people.ana, { workspaceId })
  const { state } = await ask(ana, 'emails_delete', { id })
  const present = (agent = ana, tool = 'emails_delete', args: object = { id }, given: unknown = state) =>
    agent.call(tool, { ...args }, { state: given, responses: yes }).then(({ verdict }) => verdict)

  await t.test('and refused for anything else', async t => {
    t.equal(await present(createAgent(app, people.bia, { workspaceId })), refused, 'another person')
    t.equal(
      await present(createAgent(app, people.ana, { workspaceId, clientId: 'another-client' })),
      refused,
      'another client of hers',
    )
    t.equal(
      await present(createAgent(app, people.ana, { workspaceId: support.workspaceId })),
      refused,
      'another workspace of hers',
    )
    t.equal(await present(createAgent(app, people.ana)), refused, 'no workspace named')
    t.equal(
      await present(createAgent(app, people.ana, { workspaceId: people.main.workspaceId })),
      refused,
      'a workspace that is not hers',
    )
    t.equal(await present(ana, 'emails_delete', { id: other }), refused, 'another record')
    t.equal(await present(ana, 'emails_delete', { id, if_match: '"1"' }), refused, 'one argument more')
    t.equal(await present(ana, 'emails_reprocess'), refused, 'another tool')
    t.equal(await present(ana, 'emails_delete', { id }, alter(state, -2)), refused, 'another signature')
    t.equal(await present(ana, 'inboxes_delete', { id: inboxId }), refused, 'another resource')
  })

  await t.test('also when the workspace is the default of the token', async t => {
    const byDefault = createAgent(app, people.ana, { defaultWorkspaceId: workspaceId })
    const elsewhere = createAgent(app, people.ana, { defaultWorkspaceId: support.workspaceId })
    t.equal(await present(elsewhere), refused)
    const { state: own } = await ask(byDefault, 'emails_delete', { id })
    t.equal(await present(elsewhere, 'emails_delete', { id }, own), refused)
    t.match(await ana.call('emails_delete', { id }, { state: own, responses: no }), {
      verdict: 'confirmation_declined',
    })
  })

  await t.test('and runs for that', async t => {
    t.equal(await present(), 'done')
    t.match(await ana.request('resources/read', { uri: `kobana://inbox/emails/${id}` }), { code: refused })
    t.match(await ana.call('emails_get', { id: other }), { verdict: 'done' }, 'the other one is still there')
  })
})

test('no access token is a state, and no state an access token', async t => {
  const { app, database, people } = await startApp(t)
  const inboxId = await insertInbox(database, people.billing)
  const id = await insertEmail(database, people.billing, { inboxId })
  const bruno = createAgent(app, people.bruno)
  const { state } = await ask(bruno, 'emails_delete', { id })

  const response = await app.inject({
    method: 'GET',
    url: '/api/v1/me',
    headers: { authorization: `Bearer ${state}` },
  })
  t.equal(response.statusCode, 401)
  t.equal(
    (
      await app.inject({
        method: 'POST',
        url: '/mcp',
        headers: { authorization: `Bearer ${state}` },
        payload: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      })
    ).statusCode,
    401,
  )

  const claims = JSON.parse(Buffer.from(state.split('.')[1] ?? '', 'base64url').toString())
  const sign = createSigner({
    key: confirmationKey,
    algorithm: 'HS256',
    header: { alg: 'HS256', typ: 'at+jwt' },
  })
  for (const given of [sign(claims), sign({ ...claims, typ: undefined })]) {
    t.match(await bruno.call('emails_delete', { id }, { state: given, responses: yes }), { verdict: refused })
  }
  t.match(await bruno.call('emails_get', { id }), { verdict: 'done' }, 'nothing was deleted')
})

test('a yes that comes too late is asked for again, and a changed record is left alone', async t => {
  const { app, database, people } = await startApp(t)
  const inboxId = await insertInbox(database, people.billing)
  const id = await insertEmail(database, people.billing, { inboxId })
  const bruno = createAgent(app, people.bruno)

  const late = await ask(bruno, 'emails_delete', { id })
  const expired = later(late.state)
  t.match(await bruno.call('emails_delete', { id }, { state: expired, responses: yes }), { verdict: 'asked' })
  t.match(await bruno.call('emails_delete', { id }, { state: expired, responses: no }), {
    verdict: 'confirmation_declined',
  })

  const before = await ask(bruno, 'emails_delete', { id })
  t.match(await bruno.call('emails_update', { id, labels: ['keep'] }), { verdict: 'done' })
  const answer = { state: before.state, responses: yes }
  t.match(await bruno.call('emails_delete', { id }, answer), { verdict: 'precondition_failed' })
  t.match(await bruno.call('emails_get', { id }), { verdict: 'done' })

  const again = await ask(bruno, 'emails_delete', { id })
  t.match(await bruno.call('emails_delete', { id }, { state: again.state, responses: yes }), {
    verdict: 'done',
  })
})

test('nobody is asked about what cannot happen', async t => {
  const { app, database, people } = await startApp(t)
  const { billing, main } = people
  const inboxId = await insertInbox(database, billing)
  const id = await insertEmail(database, billing, { inboxId })
  const foreign = await insertEmail(database, main, { inboxId: await insertInbox(database, main) })
  const verdicts = async (userId: string, args: object, options = {}) =>
    (await createAgent(app, userId, options).call('emails_delete', { ...args })).verdict
  const { workspaceId } = billing
  t.equal(await verdicts(people.vera, { id }, { workspaceId }), 'forbidden')
  t.equal(await verdicts(people.bruno, { id }, { scopes: ['emails:read'] }), 403)
  t.equal(await verdicts(people.ana, { id }), 'workspace_required')
  t.equal(await verdicts(people.ana, { id }, { workspaceId: main.workspaceId }), 'workspace_not_found')
  t.equal(await verdicts(people.bruno, { id: foreign }), 'not_found')
  t.equal(await verdicts(people.bruno, { id: 'x' }), 'not_found')
  t.equal(await verdicts(people.bruno, { id, colour: 'red' }), 'validation_failed')
  t.equal(await verdicts(people.bruno, { id, if_match: '"9"' }), 'precondition_failed')
  t.equal(await verdicts(people.bruno, { id, if_match: '"1"' }), 'asked')
})

/** The same state six minutes older, signed with the application's own key. */
function later(state: string): string {
  const claims = JSON.parse(Buffer.from(state.split('.')[1] ?? '', 'base64url').toString())
  const header = { alg: 'HS256', typ: 'mcp-confirmation+jwt' }
  const old = { ...claims, iat: claims.iat - 360, exp: claims.exp - 360 }
  return createSigner({ key: confirmationKey, algorithm: 'HS256', header })(old)
}
