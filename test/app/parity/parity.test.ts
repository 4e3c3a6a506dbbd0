import type { FastifyInstance } from 'fastify'
import { test } from 'tap'
import { audiences, bearer, startApp } from '../plumbing/start-app.ts'
import { type Asker, type Call, callRest, callTool, toShape, withoutRequestId } from './call-both.ts'
import { createCalls, createRecords } from './calls.ts'

// The same operation over REST and as a tool, for every person and every workspace, allowed or not: one verdict, one
// status, one body. The worker is not running, so nothing changes between the two.

interface ListedTool {
  readonly name: string
  readonly annotations: { readonly destructiveHint: boolean; readonly readOnlyHint: boolean }
}

test('every tool says what its REST route says, for every role and workspace', async t => {
  const { app, database, people } = await startApp(t, { config: { rateLimitMax: 1_000_000 } })
  await app.jobs.start()
  t.teardown(() => app.jobs.stop())
  const tools = await listTools(app, { userId: people.ana })
  const covered = new Set(createCalls(await createRecords(database, people)).map(call => call.tool))
  t.same(
    tools.map(tool => tool.name).filter(name => !covered.has(name)),
    [],
    'every tool is called',
  )

  const verdicts = new Map<string, number>()
  const workspaces = [
    undefined,
    people.billing.workspaceId,
    people.support.workspaceId,
    people.main.workspaceId,
  ]
  for (const userId of [people.ana, people.bia, people.bruno, people.vera, people.leo]) {
    for (const workspaceId of workspaces) {
      const asker: Asker = workspaceId === undefined ? { userId } : { userId, workspaceId }
      const wrong: string[] = []
      for (const call of createCalls(await createRecords(database, people))) {
        const tool = tools.find(({ name }) => name === call.tool)
        if (!tool) continue
        const { verdict, problem } = await compare(app, { asker, call, tool })
        verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1)
        if (problem) wrong.push(`${call.tool} ${JSON.stringify(call.args)}: ${problem}`)
      }
      t.same(wrong, [], `user ${userId}, workspace ${workspaceId ?? 'not named'}`)
    }
  }
  // A comparison of refusals alone would prove little.
  for (const verdict of ['2xx', 'confirmation', '400', '403', '404']) {
    const times = verdicts.get(verdict) ?? 0
    t.ok(times >= 10, `${verdict}: ${times} times`)
  }
})

test('a token without the scope is refused on both sides, with the same scopes to ask for', async t => {
  const { app, database, people } = await startApp(t, { config: { rateLimitMax: 1_000_000 } })
  const asker = { userId: people.ana, workspaceId: people.billing.workspaceId, scopes: [] }
  for (const call of createCalls(await createRecords(database, people))) {
    if (call.tool === 'me_get') continue
    const [agent, rest] = [await callTool(app, asker, call), await callRest(app, asker, call)]
    t.equal(rest.status, 403, `${call.tool} over REST`)
    t.equal(agent.status, 403, `${call.tool} as a tool`)
    t.match(agent.challenge, /error="insufficient_scope"/)
    t.equal(toScope(agent.challenge), toScope(rest.challenge), `${call.tool} names the same scopes`)
  }
})

async function compare(
  app: FastifyInstance,
  { asker, call, tool }: { asker: Asker; call: Call; tool: ListedTool },
): Promise<{ verdict: string; problem?: string }> {
  // The agent first: if a destructive tool ran, the record would be gone for REST.
  const agent = await callTool(app, asker, call)
  const rest = await callRest(app, asker, call)
  const isAllowed = rest.status >= 200 && rest.status < 300
  const verdict = isAllowed
    ? tool.annotations.destructiveHint
      ? 'confirmation'
      : '2xx'
    : String(rest.status)
  const differ = (what: string) => ({
    verdict,
    problem: `${what}: REST ${rest.status} ${rest.body}, tool ${agent.text}`,
  })
  if (agent.status !== 200) return differ(`HTTP ${agent.status}`)
  if (verdict === 'confirmation') {
    const isAsked = agent.isError && JSON.parse(agent.text).code === 'confirmation_required'
    return isAsked ? { verdict } : differ('no confirmation')
  }
  // Existence is checked before a question is asked; a client that cannot ask is told so, whatever the record.
  if (tool.annotations.destructiveHint && rest.status === 404 && agent.isError) {
    return ['not_found', 'confirmation_required', 'workspace_not_found'].includes(JSON.parse(agent.text).code)
      ? { verdict }
      : differ('code')
  }
  if (agent.isError === isAllowed) return differ('verdict')
  if (isAllowed && agent.structured !== undefined && JSON.stringify(agent.structured) !== agent.text)
    return differ('structured content')
  if (tool.annotations.readOnlyHint || !isAllowed) {
    return withoutRequestId(agent.text) === withoutRequestId(rest.body) ? { verdict } : differ('bytes')
  }
  return JSON.stringify(toShape(agent.text)) === JSON.stringify(toShape(rest.body))
    ? { verdict }
    : differ('shape')
}

async function listTools(app: FastifyInstance, { userId }: Asker): Promise<readonly ListedTool[]> {
  const response = await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: bearer(userId, { audience: audiences.mcp }),
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  })
  return response.json().result.tools
}

function toScope(challenge: string | undefined): string | undefined {
  return /scope="([^"]*)"/.exec(challenge ?? '')?.[1]
}
