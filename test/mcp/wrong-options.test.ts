import Fastify, { type FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { type McpOptions, mcp } from '../../plugins/mcp/index.ts'
import { call, legacy, modern } from './toy-client.ts'
import { toyOptions } from './toy-notes.ts'
import { testBothWays } from './ways.ts'

/** An API with a tool for anyone and one with a scope, and what ran and was logged. */
async function createWrong(t: Test, options: Partial<McpOptions>) {
  const lines: { level: number; err?: { message: string } }[] = []
  const ran: string[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const app = Fastify({ logger: { level: 'warn', stream } })
  t.teardown(() => app.close())
  await app.register(mcp, { ...toyOptions, limit: undefined, permissions: undefined, ...options })
  for (const [name, scopes] of [
    ['open', []],
    ['guarded', ['books:read']],
  ] as const) {
    const schema = { operationId: name, summary: name, response: { 200: { type: 'object' } } }
    const config = { scopes: [...scopes], mcp: { resource: { uri: `toys://${name}` } } }
    app.get(`/${name}`, { schema, config }, async () => {
      ran.push(name)
      return {}
    })
  }
  return { app, lines, ran }
}

const everyMethod: readonly (readonly [string, object])[] = [
  ['tools/call', { name: 'open' }],
  ['tools/call', { name: 'guarded' }],
  ['tools/list', {}],
  ['resources/read', { uri: 'toys://open' }],
  ['resources/list', {}],
]

const right = { id: 'usr_ana', clientId: null, scopes: ['books:read'] }

const wrongCallers: readonly (readonly [string, unknown])[] = [
  ['id', { ...right, id: undefined }],
  ['id', { ...right, id: 7 }],
  ['clientId', { ...right, clientId: undefined }],
  ['clientId', { ...right, clientId: {} }],
  ['scopes', { ...right, scopes: undefined }],
  // Of which `books:read` is a part.
  ['scopes', { ...right, scopes: 'books:read_summary' }],
  ['scopes', { ...right, scopes: ['books:read', 7] }],
  ['scopes', { ...right, scopes: new Set(['books:read']) }],
  ['caller', undefined],
  ['caller', null],
  ['caller', 'usr_ana'],
]

testBothWays('what is no caller is refused on every method, and the log names the member', async t => {
  for (const [member, caller] of wrongCallers) {
    const { app, lines, ran } = await createWrong(t, { authenticate: async () => caller as never })
    for (const [method, params] of [...everyMethod, ['server/discover', {}]] as const) {
      const answer = await modern(app, method, { ...params })
      t.equal(answer.statusCode, 503, `${member} ${method}`)
      t.equal(answer.json().code, 'unavailable')
      const { level, err } = lines.pop() ?? {}
      const said = String(err?.message)
      t.equal(level, 50)
      t.ok(said.includes('authenticate') && said.includes(member), said)
    }
    for (const [method, params] of [
      ...everyMethod,
      ['initialize', { protocolVersion: '2025-06-18' }],
    ] as const)
      t.equal((await legacy(app, method, params)).statusCode, 503, `${member} ${method}`)
    t.same(ran, [])
  }
})

testBothWays('a caller with members of its own and a frozen list of scopes is one', async t => {
  const caller = Object.freeze({
    ...right,
    clientId: 'desk',
    scopes: Object.freeze(['books:read']),
    tenant: 't1',
  })
  const { app, lines, ran } = await createWrong(t, { authenticate: () => caller })
  for (const [method, params] of everyMethod) t.ok((await legacy(app, method, params)).json().result, method)
  t.same(ran, ['open', 'guarded', 'open'])
  t.same(lines, [])
})

testBothWays('permissions that are no set are an internal error wherever they are asked for', async t => {
  for (const permissions of [undefined, ['notes:view'], 'notes:view', {}, { has: true }, 7]) {
    const { app, lines } = await createWrong(t, {
      authenticate: () => right,
      listing: 'search',
      permissions: (async () => permissions) as never,
    })
    for (const ask of [
      () => legacy(app, 'tools/list'),
      () => legacy(app, 'resources/list'),
      () => call(app, 'search_tools', { query: 'open' }),
      () => call(app, 'describe_tool', { name: 'open' }),
    ]) {
      t.equal((await ask()).json().error?.code, -32603)
      t.match(lines.pop(), { level: 50, err: { message: /option permissions must return a Set/ } })
    }
  }
})

testBothWays('permissions may be any set, or null', async t => {
  const has = { has: () => true, size: 0, [Symbol.iterator]: () => [][Symbol.iterator]() }
  for (const permissions of [new Set(['x']), new Map([['x', 1]]), has, null]) {
    const { app } = await createWrong(t, {
      authenticate: () => right,
      permissions: (() => permissions) as never,
    })
    t.equal((await listed(app)).length, 2)
  }
})

async function listed(app: FastifyInstance): Promise<unknown[]> {
  return (await legacy(app, 'tools/list')).json().result.tools
}
