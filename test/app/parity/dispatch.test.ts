import { test } from 'tap'
import { startApp } from '../plumbing/start-app.ts'
import { type AgentAnswer, callTool, toShape, withoutRequestId } from './call-both.ts'
import { createCalls, createRecords } from './calls.ts'

// Two instances on one database that differ in the way into the routes, and in nothing that an agent can see.

test('every tool answers the same, whichever way its route is reached', async t => {
  const config = { rateLimitMax: 1_000_000 }
  const injected = await startApp(t, { config, env: { MCP_DISPATCH: 'inject' } })
  const direct = await startApp(t, { config, env: { MCP_DISPATCH: 'direct' }, beside: injected })
  const { database, people } = injected
  await injected.app.jobs.start()
  t.teardown(() => injected.app.jobs.stop())

  const codes = new Map<string, number>()
  for (const userId of [people.ana, people.vera]) {
    const asker = { userId, workspaceId: people.billing.workspaceId }
    const wanted = new Map<number, AgentAnswer>()
    for (const [index, call] of createCalls(await createRecords(database, people)).entries()) {
      const answer = await callTool(injected.app, asker, call)
      wanted.set(index, answer)
      const code = answer.isError ? JSON.parse(answer.text).code : 'done'
      codes.set(code, (codes.get(code) ?? 0) + 1)
      if (call.method !== 'GET') continue
      const found = await callTool(direct.app, asker, call)
      t.equal(withoutRequestId(found.text), withoutRequestId(answer.text), `${call.tool}, byte for byte`)
    }
    // What one way has written the other would find written, so that each has records of its own.
    for (const [index, call] of createCalls(await createRecords(database, people)).entries()) {
      const answer = wanted.get(index)
      const found = await callTool(direct.app, asker, call)
      if (call.method !== 'GET')
        t.same(
          toComparable(found),
          answer && toComparable(answer),
          `${call.tool} ${JSON.stringify(call.args)}`,
        )
    }
  }
  for (const code of ['done', 'not_found', 'validation_failed', 'forbidden', 'confirmation_required'])
    t.ok((codes.get(code) ?? 0) >= 5, `${code}: ${codes.get(code) ?? 0} times`)
})

function toComparable({ status, isError, text, structured, challenge }: AgentAnswer) {
  return { status, isError, shape: toShape(text), isStructured: structured !== undefined, challenge }
}
