import type { RouteOptions } from 'fastify'
import { test } from 'tap'
import { apiRoutes } from '../../../routes/api/v1/index.ts'
import { createCalls, createRecords } from '../parity/calls.ts'
import { startApp } from '../plumbing/start-app.ts'
import { createAgent } from './agent.ts'

/** Tools whose question shows arguments that may be left out. */
const sparse = ['webhooks_update']
/** Tools on records that nobody edits: what is shown has no version to hold on to. */
const unversioned = ['deliveries_redeliver']

test('every destructive tool asks a question of its own that can be answered', async t => {
  const declared: RouteOptions[] = []
  const { app, database, people } = await startApp(t, {
    config: { rateLimitMax: 1_000_000 },
    routes: async api => {
      api.addHook('onRoute', route => {
        declared.push(route)
      })
      await api.register(apiRoutes)
    },
  })
  const destructive = declared.filter(isDestructive)
  t.ok(destructive.length > 10)

  await t.test('which its route declares', async t => {
    for (const { config, schema } of destructive) {
      const name = schema?.operationId ?? ''
      const mcp = typeof config?.mcp === 'object' ? config.mcp : {}
      t.match(mcp.question, /^[A-Z].*\?/, name)
      if (/\{data\./.test(mcp.question ?? '')) t.ok(mcp.preview, `${name} has a preview`)
      const headers = Object.keys(toShape(schema?.headers))
      t.ok(headers.includes('idempotency-key'), `${name} runs once`)
      if (mcp.preview && !unversioned.includes(name))
        t.ok(headers.includes('if-match'), `${name} runs on what was shown`)
    }
  })

  await t.test('and which reads well about real records', async t => {
    const asked = new Map<string, string>()
    const bia = createAgent(app, people.bia)
    const calls = createCalls(await createRecords(database, people))
    await database.asOwner(trx =>
      trx
        .updateTable('emails')
        .set({ subject: 'Fatura 4711', from_address: 'ana@fornecedor.test' })
        .execute(),
    )
    for (const { tool, args } of calls) {
      if (!destructive.some(({ schema }) => schema?.operationId === tool)) continue
      const { verdict, message } = await bia.call(tool, args)
      if (verdict === 'asked' && !asked.has(tool)) asked.set(tool, message)
    }
    for (const { schema } of destructive) {
      const name = schema?.operationId ?? ''
      const message = asked.get(name) ?? 'was not asked'
      t.comment(`${name}: ${message}`)
      t.match(message, /^[A-Z][^?]* .*\?( |$)/, name)
      t.match(message, /“[^”]+”/, `${name} shows what it is about`)
      t.ok(message.length <= 500, `${name} is short`)
      if (!sparse.includes(name)) t.notMatch(message, '(none)', `${name} shows values that there are`)
      t.notMatch(message, /“[a-z]{3}_[0-9a-z]{26}”/, `${name} is for people, who do not know ids`)
    }
  })
})

function isDestructive({ method, config }: RouteOptions): boolean {
  const mcp = config?.mcp
  if (mcp === undefined || mcp === false || method === 'HEAD') return false
  const said = typeof mcp === 'object' ? mcp.destructive : undefined
  return said ?? method === 'DELETE'
}

function toShape(schema: unknown): object {
  const isZod = typeof schema === 'object' && schema !== null && 'shape' in schema
  return isZod && typeof schema.shape === 'object' && schema.shape !== null ? schema.shape : {}
}
