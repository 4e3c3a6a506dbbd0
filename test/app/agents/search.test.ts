import { test } from 'tap'
import { audiences, bearer, startApp } from '../plumbing/start-app.ts'

test('with MCP_LISTING=search the tools of the product are found by what they do', async t => {
  const { app, people } = await startApp(t, { env: { MCP_LISTING: 'search' } })
  const ask = async (method: string, params: object, userId = people.ana) => {
    const headers = {
      ...bearer(userId, { audience: audiences.mcp }),
      'x-workspace-id': people.billing.workspaceId,
    }
    const payload = { jsonrpc: '2.0', id: 1, method, params }
    return (await app.inject({ method: 'POST', url: '/mcp', headers, payload })).json().result
  }
  const find = async (query: string, userId?: string): Promise<readonly string[]> => {
    const { content } = await ask('tools/call', { name: 'search_tools', arguments: { query } }, userId)
    return JSON.parse(content[0].text).tools.map(({ name }: { name: string }) => name)
  }
  const { tools } = await ask('tools/list', {})
  t.same(
    tools.map(({ name }: { name: string }) => name),
    ['call_tool', 'describe_tool', 'search_tools'],
  )
  for (const [query, name] of [
    ['list emails', 'emails_list'],
    ['rotate the secret of a webhook', 'webhooks_rotate_secret'],
    ['who may send to an inbox', 'allowed_senders_list'],
    ['boleto', 'extractions_list'],
  ] as const)
    t.ok((await find(query)).includes(name), `${query}: ${await find(query)}`)
  t.notOk((await find('delete email', people.vera)).includes('emails_delete'), 'a viewer deletes nothing')

  const listed = await ask('tools/call', { name: 'call_tool', arguments: { name: 'inboxes_list' } })
  t.same(listed, await ask('tools/call', { name: 'inboxes_list' }))
})
