import type { FastifyPluginAsync } from 'fastify'
import { test } from 'tap'
import { z } from 'zod'
import { audiences, bearer, publicUrl, startApp } from './start-app.ts'

const answer = z.strictObject({ data: z.unknown() })

/** Tools that differ in what they need, and one that tells who it thinks calls. */
const tools: FastifyPluginAsync = async app => {
  const tool = (name: string) => ({ operationId: name, summary: name, response: { 200: answer } })
  const read = { scopes: ['emails:read'], permission: 'emails:read', mcp: true }
  const write = { scopes: ['emails:write'], permission: 'emails:write', mcp: true }
  const administer = { scopes: ['inboxes:write'], permission: 'inboxes:write', mcp: true }
  app.get('/read', { schema: tool('read'), config: read }, async ({ principal, tenant, mcp, ip }) => ({
    data: {
      id: principal.id,
      workspace: tenant.workspaceId,
      client: principal.clientId,
      tool: mcp?.tool ?? null,
      ip,
    },
  }))
  app.post('/write', { schema: tool('write'), config: write }, async () => ({ data: null }))
  app.post('/administer', { schema: tool('administer'), config: administer }, async () => ({ data: null }))
}

test('the application through POST /mcp', async t => {
  const { app, people } = await startApp(t, { routes: tools })
  const { billing, support, main } = people
  const call = (method: string, params: object, headers: Record<string, string>) =>
    app.inject({ method: 'POST', url: '/mcp', headers, payload: { jsonrpc: '2.0', id: 1, method, params } })
  const token = (userId: string, more: object = {}) => bearer(userId, { audience: audiences.mcp, ...more })
  const names = async (headers: Record<string, string>) => {
    const { result, error } = (await call('tools/list', {}, headers)).json()
    return error ?? result.tools.map((tool: { name: string }) => tool.name)
  }

  t.test('names itself, and tells a model what it must know', async t => {
    const answer = await call(
      'initialize',
      { protocolVersion: '2025-06-18', capabilities: {} },
      token(people.ana),
    )
    const { serverInfo, instructions } = answer.json().result
    t.match(serverInfo, {
      name: 'kobana-autonomous-inbox',
      title: 'Kobana Autonomous Inbox',
      version: /^\d+\.\d+\.\d+$/,
    })
    for (const said of [
      'never instructions',
      'third parties',
      'ask the person',
      '2026-07-28',
      'elicitation',
      'confirmation_required',
      'do not retry',
    ]) {
      t.match(instructions.replaceAll('\n', ' '), said)
    }
  })

  t.test('without a token the challenge leads to the metadata of /mcp', async t => {
    const answer = await call('tools/list', {}, {})
    t.equal(answer.statusCode, 401)
    t.match(
      answer.headers['www-authenticate'],
      `resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/mcp"`,
    )
    t.match(answer.headers['content-type'], 'application/problem+json')
  })

  t.test('lists what the role allows in the workspace that is named', async t => {
    const named = (tenant: { workspaceId: string }) => ({ 'x-workspace-id': tenant.workspaceId })
    t.same(await names({ ...token(people.bia), ...named(billing) }), ['administer', 'read', 'write'])
    t.same(await names({ ...token(people.bruno), ...named(billing) }), ['read', 'write'])
    t.same(await names({ ...token(people.vera), ...named(support) }), ['read'])
    t.match(await names({ ...token(people.bia), ...named(support) }), { code: -32602 })
    t.match(await names({ ...token(people.bia), ...named(main) }), { code: -32602 })
  })

  t.test('lists what the role allows in the default workspace, or else in any', async t => {
    t.same(await names(token(people.vera, { defaultWorkspaceId: billing.workspaceId })), ['read'])
    t.same(await names(token(people.vera)), ['read'])
    t.same(await names(token(people.ana)), ['administer', 'read', 'write'])
    t.same(await names(token(people.ana, { scopes: ['emails:write'] })), ['read', 'write'])
  })

  t.test('a call runs as the person that POST /mcp verified, whatever its headers claim', async t => {
    const headers = { ...token(people.leo), 'x-user-id': people.ana, 'x-mcp-caller': people.ana }
    const { result } = (await call('tools/call', { name: 'read' }, headers)).json()
    t.match(JSON.parse(result.content[0].text), {
      data: {
        id: people.leo,
        workspace: main.workspaceId,
        client: 'test-client',
        tool: 'read',
        ip: '127.0.0.1',
      },
    })
  })

  t.test(
    'a call that the role does not allow, or that names no workspace, is an error with the route’s own body',
    async t => {
      const forbidden = (
        await call(
          'tools/call',
          { name: 'write' },
          token(people.vera, { defaultWorkspaceId: billing.workspaceId }),
        )
      ).json()
      t.equal(forbidden.result.isError, true)
      t.match(JSON.parse(forbidden.result.content[0].text), { code: 'forbidden', status: 403 })
      const unnamed = (await call('tools/call', { name: 'read' }, token(people.ana))).json()
      const document = JSON.parse(unnamed.result.content[0].text)
      t.match(document, { code: 'workspace_required' })
      t.equal(document.workspaces.length, 2)
    },
  )

  t.test('the identity of one call is not that of what comes next to it', async t => {
    const users = [people.ana, people.bia, people.bruno, people.vera]
    const calls = Array.from({ length: 40 }, (_, at) => users[at % users.length] ?? '')
    const seen = await Promise.all(
      calls.map(async userId => {
        const headers = { ...token(userId), 'x-workspace-id': billing.workspaceId }
        const { result } = (await call('tools/call', { name: 'read' }, headers)).json()
        return JSON.parse(result.content[0].text).data.id
      }),
    )
    t.same(seen, calls)
    const rest = await app.inject({ url: '/api/v1/read', headers: bearer(people.leo) })
    t.match(rest.json().data, { id: people.leo, tool: null })
  })
})
