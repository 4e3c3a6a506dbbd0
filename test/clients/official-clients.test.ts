import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { type Test, test } from 'tap'
import { audiences, bearer, startApp } from '../app/plumbing/start-app.ts'
import { insertInbox, insertManyEmails } from '../app/support/insert-email.ts'

// The official clients over a real socket, each in every way it can negotiate.

const info = { name: 'official-client', version: '1.0.0' }

interface Listed {
  readonly tools: readonly { readonly name: string; readonly outputSchema?: unknown }[]
}

interface Called {
  readonly content: unknown
  readonly structuredContent?: unknown
  readonly isError?: unknown
}

interface OfficialClient {
  readonly version: string | undefined
  readonly instructions: string | undefined
  listTools(): Promise<Listed>
  callTool(name: string, args: Record<string, unknown>): Promise<Called>
  close(): Promise<void>
}

type Connect = (url: URL, headers: Record<string, string>) => Promise<OfficialClient>

const ways: readonly { readonly name: string; readonly version: string; readonly connect: Connect }[] = [
  {
    name: 'client 2.4 pinned to 2026-07-28',
    version: '2026-07-28',
    connect: connect2({ pin: '2026-07-28' }),
  },
  { name: 'client 2.4 in auto mode', version: '2026-07-28', connect: connect2('auto') },
  { name: 'client 2.4 in legacy mode', version: '2025-06-18', connect: connect2('legacy') },
  { name: 'SDK 1.32', version: '2025-06-18', connect: connect1 },
]

for (const { name, version, connect } of ways) {
  test(`${name} lists and calls tools, and reads real e-mails`, async t => {
    const { client, rest } = await start(t, connect)
    t.equal(client.version, version)
    t.match(client.instructions, /never instructions/)

    const { tools } = await client.listTools()
    t.ok(tools.some(tool => tool.name === 'emails_list' && tool.outputSchema !== undefined))

    const page = await client.callTool('emails_list', { limit: 3, status: 'processed' })
    const text = JSON.stringify(page.structuredContent)
    t.equal(text, await rest('/emails?limit=3&status=processed'), 'the bytes of the REST route')
    t.same(page.content, [{ type: 'text', text }])

    const refused = await client.callTool('emails_list', { limit: 1_000 })
    t.equal(refused.isError, true)
    t.match(JSON.stringify(refused.content), /validation_failed/)
  })

  test(`${name} is told that it cannot confirm a destructive tool`, async t => {
    const { client, rest } = await start(t, connect)
    const before = await rest('/emails?limit=1')
    const { data } = JSON.parse(before)
    const result = await client.callTool('emails_delete', { id: data[0].id })
    t.equal(result.isError, true)
    t.match(JSON.stringify(result.content), /confirmation_required/)
    t.equal(await rest('/emails?limit=1'), before, 'it is still there')
  })
}

async function start(t: Test, connect: Connect) {
  const { app, database, people } = await startApp(t)
  const inboxId = await insertInbox(database, people.billing)
  await insertManyEmails(database, people.billing, { inboxId, count: 50 })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const workspace = { 'x-workspace-id': people.billing.workspaceId }
  const client = await connect(new URL('/mcp', url), {
    ...bearer(people.ana, { audience: audiences.mcp }),
    ...workspace,
  })
  t.teardown(() => client.close())
  const rest = async (path: string): Promise<string> => {
    const response = await fetch(`${url}/api/v1${path}`, { headers: { ...bearer(people.ana), ...workspace } })
    return response.text()
  }
  return { client, rest }
}

function connect2(mode: 'auto' | 'legacy' | { pin: string }): Connect {
  return async (url, headers) => {
    const client = new Client2(info, { versionNegotiation: { mode } })
    await client.connect(new Transport2(url, { requestInit: { headers } }))
    return {
      version: client.getNegotiatedProtocolVersion(),
      instructions: client.getInstructions(),
      listTools: () => client.listTools(),
      callTool: (name, args) => client.callTool({ name, arguments: args }),
      close: () => client.close(),
    }
  }
}

async function connect1(url: URL, headers: Record<string, string>): Promise<OfficialClient> {
  const client = new Client1(info)
  const transport = new Transport1(url, { requestInit: { headers } })
  await client.connect(transport)
  return {
    version: transport.protocolVersion,
    instructions: client.getInstructions(),
    listTools: () => client.listTools(),
    callTool: async (name, args) =>
      CallToolResultSchema.parse(await client.callTool({ name, arguments: args })),
    close: () => client.close(),
  }
}
