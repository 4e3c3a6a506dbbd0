import { test } from 'tap'
import { roles } from '../../../lib/identity/roles.ts'
import { startApp } from '../plumbing/start-app.ts'
import { toRefusal } from '../resources/answers.ts'
import { createPerson } from '../resources/person.ts'

test('asking who one is', async t => {
  const { app, database, people } = await startApp(t)

  await t.test('needs a token, and takes no parameters', async t => {
    const response = await app.inject({ url: '/api/v1/me' })
    t.equal(response.statusCode, 401)
    const vera = createPerson(app, people.vera)
    t.equal(toRefusal(await vera.get('/me?verbose=true')), '400 validation_failed verbose')
  })

  await t.test('needs no scope and no workspace, and tells what there is', async t => {
    const vera = createPerson(app, people.vera, { scopes: [], clientId: 'some-client' })
    const permissions = [...roles.viewer]
    const workspaces = [
      { id: people.billing.workspaceId, name: 'Billing', role: 'viewer', permissions },
      { id: people.support.workspaceId, name: 'Support', role: 'viewer', permissions },
    ]
    const answer = await vera.get('/me')
    t.equal(answer.status, 200)
    t.same(answer.body, {
      data: {
        id: people.vera,
        email: 'vera@acme.test',
        name: 'Vera',
        organization: { id: people.acme.id, name: 'Acme' },
        client_id: 'some-client',
        scopes: [],
        default_workspace_id: null,
        workspaces: workspaces.sort((a, b) => (a.id < b.id ? -1 : 1)),
      },
    })
  })

  await t.test('names the scopes with what they imply, and the default workspace', async t => {
    const { workspaceId } = people.billing
    const options = { scopes: ['emails:write'], defaultWorkspaceId: workspaceId }
    const { body } = await createPerson(app, people.ana, options).get('/me')
    t.match(body, { data: { scopes: ['emails:read', 'emails:write'], default_workspace_id: workspaceId } })
  })

  await t.test('works for somebody without any workspace', async t => {
    // As the owner: nobody may leave their last workspace by themselves.
    await database.asOwner(trx => trx.deleteFrom('memberships').where('user_id', '=', people.leo).execute())
    const leo = createPerson(app, people.leo)
    t.match((await leo.get('/me')).body, { data: { id: people.leo, workspaces: [] } })
    t.equal(toRefusal(await leo.get('/emails')), '400 workspace_required')
    t.equal(toRefusal(await leo.get('/workspaces')), '403 forbidden')
  })
})
