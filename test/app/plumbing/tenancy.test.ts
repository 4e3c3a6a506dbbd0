import type { FastifyPluginAsync } from 'fastify'
import { test } from 'tap'
import { createId } from '../../../lib/id/id.ts'
import { bearer, startApp } from './start-app.ts'

/** Routes that tell in which workspace they ran, and what they see there. */
const telling: FastifyPluginAsync = async app => {
  app.get('/where', { config: { scopes: [] } }, async request => ({
    ...request.tenant,
    sees: await request.transact(trx => trx.selectFrom('workspaces').select('id').execute()),
  }))
  app.get('/read', { config: { scopes: ['emails:read'], permission: 'emails:read' } }, async () => ({
    ok: true,
  }))
  app.post('/write', { config: { scopes: ['emails:write'], permission: 'emails:write' } }, async () => ({
    ok: true,
  }))
  app.post(
    '/administer',
    { config: { scopes: ['inboxes:write'], permission: 'inboxes:write' } },
    async () => ({ ok: true }),
  )
  app.post(
    '/found',
    {
      config: { scopes: ['workspaces:write'], permission: 'workspaces:write', tenancy: 'organization' },
    },
    async () => ({ ok: true }),
  )
  app.get('/people', { config: { scopes: [], tenancy: 'organization' } }, async request => ({
    sees: await request.transact(trx => trx.selectFrom('users').select('id').execute()),
  }))
  app.get('/forgetful', { config: { scopes: [], tenancy: 'organization' } }, async request => request.tenant)
}

test('tenancy', async t => {
  const { app, database, people } = await startApp(t, { routes: telling })
  const { billing, support, main } = people
  const call = (url: string, headers: Record<string, string>, method: 'GET' | 'POST' = 'GET') =>
    app.inject({ method, url: `/api/v1${url}`, headers })
  const within = (workspaceId: string) => ({ 'x-workspace-id': workspaceId })

  t.test('the workspace that the header names is the one', async t => {
    for (const tenant of [billing, support]) {
      const answer = await call('/where', { ...bearer(people.ana), ...within(tenant.workspaceId) })
      t.match(answer.json(), tenant)
    }
  })

  t.test('without the header it is the one chosen at consent, and the header comes first', async t => {
    const token = bearer(people.ana, { defaultWorkspaceId: support.workspaceId })
    t.match((await call('/where', token)).json(), support)
    t.match((await call('/where', { ...token, ...within(billing.workspaceId) })).json(), billing)
  })

  t.test('without either it is the only one', async t => {
    t.match((await call('/where', bearer(people.bruno))).json(), billing)
    t.match((await call('/where', { ...bearer(people.bruno), ...within(' ') })).json(), billing)
  })

  t.test('with several to choose from, the refusal lists them', async t => {
    const answer = await call('/where', bearer(people.vera))
    t.equal(answer.statusCode, 400)
    t.match(answer.json(), { code: 'workspace_required' })
    t.same(
      answer
        .json()
        .workspaces.map((one: { name: string }) => one)
        .sort((a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name)),
      [
        { id: billing.workspaceId, name: 'Billing', role: 'viewer' },
        { id: support.workspaceId, name: 'Support', role: 'viewer' },
      ],
    )
  })

  t.test('a workspace of others is a 404, the same as one that does not exist', async t => {
    const bodies = new Set<string>()
    const names = [
      main.workspaceId,
      createId('wsp'),
      'wsp_',
      '../..',
      `${billing.workspaceId}, ${main.workspaceId}`,
      "' or 1=1 --",
    ]
    for (const name of names) {
      const answer = await call('/where', { ...bearer(people.ana), ...within(name) })
      t.equal(answer.statusCode, 404)
      t.match(answer.json(), { code: 'workspace_not_found' })
      bodies.add(JSON.stringify({ ...answer.json(), request_id: '' }))
    }
    t.equal(bodies.size, 1, 'and nothing tells them apart')
    const colleague = await call('/where', { ...bearer(people.bia), ...within(support.workspaceId) })
    t.equal(colleague.statusCode, 404, "also a colleague's of the same organization")
  })

  t.test('a default that is not theirs any more is a 404, not another workspace', async t => {
    const answer = await call('/where', bearer(people.bruno, { defaultWorkspaceId: support.workspaceId }))
    t.equal(answer.statusCode, 404)
  })

  t.test('somebody in no workspace has none to choose from', async t => {
    const id = createId('usr')
    const user = { id, organization_id: people.acme.id, email: 'nobody@acme.test', name: 'Nobody' }
    await database.asOwner(trx => trx.insertInto('users').values(user).execute())
    const answer = await call('/where', bearer(id))
    t.match(answer.json(), { code: 'workspace_required', workspaces: [] })
    t.equal((await call('/people', bearer(id))).statusCode, 200)
  })

  t.test('the role in that very workspace decides', async t => {
    const allowed = async (userId: string, url: string) => {
      const answer = await call(
        url,
        { ...bearer(userId), ...within(billing.workspaceId) },
        url === '/read' ? 'GET' : 'POST',
      )
      if (answer.statusCode !== 200) t.match(answer.json(), { code: 'forbidden', status: 403 })
      return answer.statusCode === 200
    }
    const table = []
    for (const userId of [people.bia, people.bruno, people.vera]) {
      table.push([
        await allowed(userId, '/read'),
        await allowed(userId, '/write'),
        await allowed(userId, '/administer'),
      ])
    }
    t.same(table, [
      [true, true, true],
      [true, true, false],
      [true, false, false],
    ])
  })

  t.test(
    "scope comes before workspace, workspace before role, and none of them lets another's through",
    async t => {
      const foreign = within(main.workspaceId)
      const noScope = await call(
        '/write',
        { ...bearer(people.vera, { scopes: ['emails:read'] }), ...foreign },
        'POST',
      )
      t.match(noScope.json(), { code: 'insufficient_scope' })
      const noRole = await call('/write', { ...bearer(people.vera), ...foreign }, 'POST')
      t.match(noRole.json(), { code: 'workspace_not_found' })
    },
  )

  t.test('what acts on the organization needs no workspace, and an admin somewhere', async t => {
    t.equal((await call('/found', bearer(people.ana), 'POST')).statusCode, 200)
    t.equal((await call('/found', bearer(people.vera), 'POST')).statusCode, 403)
    t.equal((await call('/people', { ...bearer(people.ana), ...within('ignored') })).statusCode, 200)
  })

  t.test('transactions see the organization or the workspace of the caller and nothing else', async t => {
    const { sees } = (await call('/people', bearer(people.leo))).json()
    t.same(sees, [{ id: people.leo }])
    const inside = (await call('/where', bearer(people.leo))).json()
    t.ok(inside.sees.every((one: { id: string }) => one.id === main.workspaceId))
  })

  t.test('a workspace that somebody was just let into is there at once', async t => {
    const headers = { ...bearer(people.bruno), ...within(support.workspaceId) }
    t.equal((await call('/where', headers)).statusCode, 404)
    await new Promise(resolve => setTimeout(resolve, 1100))
    const row = {
      user_id: people.bruno,
      workspace_id: support.workspaceId,
      organization_id: people.acme.id,
      role: 'viewer' as const,
    }
    await database.asOwner(trx => trx.insertInto('memberships').values(row).execute())
    t.match((await call('/where', headers)).json(), support)
    t.equal((await call('/write', headers, 'POST')).statusCode, 403)
  })

  t.test('reading the workspace of a route that acts on none is a mistake of ours', async t => {
    t.equal((await call('/forgetful', bearer(people.bia))).statusCode, 500)
  })
})
