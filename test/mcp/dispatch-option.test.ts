import { IncomingMessage, OutgoingMessage, ServerResponse } from 'node:http'
import Fastify, { type FastifyInstance } from 'fastify'
import { type Test, test } from 'tap'
import { type McpOptions, mcp, type RouteMcp } from '../../plugins/mcp/index.ts'
import { call, readText } from './toy-client.ts'
import { createNotes, toyOptions } from './toy-notes.ts'
import { testBothWays } from './ways.ts'

type Line = Readonly<Record<string, unknown>>

const options: McpOptions = { ...toyOptions, permissions: undefined, dispatch: 'direct' }

/** A tool that answers how its route was reached. */
function reached(app: FastifyInstance, name: string, mcp: true | RouteMcp = true): void {
  const answer = { type: 'object', properties: { way: { type: 'string' } } }
  app.get(
    `/${name}`,
    { schema: { operationId: name, summary: name, response: { 200: answer } }, config: { scopes: [], mcp } },
    async ({ raw }) => ({ way: 'isLightMyRequest' in raw ? 'inject' : 'direct' }),
  )
}

function createLogged(t: Test): { app: FastifyInstance; exceptions: () => readonly unknown[] } {
  const lines: Line[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const app = Fastify({ logger: { stream } })
  t.teardown(() => app.close())
  const exceptions = () => lines.filter(({ msg }) => /by inject/.test(String(msg))).map(({ tools }) => tools)
  return { app, exceptions }
}

test('a route says that it is to be reached by inject, and the log says so once at boot', async t => {
  const { app, exceptions } = createLogged(t)
  await app.register(mcp, options)
  reached(app, 'usual')
  reached(app, 'special', { dispatch: 'inject' })
  await app.ready()
  t.same(exceptions(), [['special']])
  t.same(readText(await call(app, 'usual')), { way: 'direct' })
  t.same(readText(await call(app, 'special')), { way: 'inject' })
  t.equal(exceptions().length, 1)
})

test('routes behind Express or Connect middleware are reached by inject', async t => {
  const { app, exceptions } = createLogged(t)
  await app.register(mcp, options)
  reached(app, 'outside')
  await app.register(async child => {
    reached(child, 'inside')
    child.decorate('use', () => child)
  })
  await app.ready()
  t.same(exceptions(), [['inside']])
  t.same(readText(await call(app, 'inside')), { way: 'inject' })
  t.same(readText(await call(app, 'outside')), { way: 'direct' })
})

test('by default everything is injected, and there is nothing to say', async t => {
  const { app, exceptions } = createLogged(t)
  await app.register(mcp, { ...options, dispatch: undefined })
  reached(app, 'usual')
  reached(app, 'special', { dispatch: 'inject' })
  await app.ready()
  t.same(readText(await call(app, 'usual')), { way: 'inject' })
  t.same(exceptions(), [])
})

test('a way that there is not stops the boot', async t => {
  const wrong = Fastify()
  await t.rejects(async () => wrong.register(mcp, { ...options, dispatch: 'loopback' as never }), {
    code: 'MCP_ERR_OPTION',
  })
  const app = Fastify()
  await app.register(mcp, options)
  reached(app, 'wrong', { dispatch: 'direct' as never })
  await t.rejects(async () => app.ready(), { code: 'MCP_ERR_ROUTE_CONFIG' })
})

testBothWays('a server that is closing answers 503, or serves, as it would answer a client', async t => {
  for (const return503OnClosing of [true, false]) {
    let isClosing = false
    const { app } = await createNotes(t, {
      server: { return503OnClosing },
      routes: app => {
        // The endpoint was reached before, and its tool is called after the server began to close.
        app.addHook('preHandler', async request => {
          if (request.url !== '/mcp' || isClosing) return
          isClosing = true
          void app.close()
          await new Promise(resolve => setTimeout(resolve, 20))
        })
      },
    })
    app.addHook('preClose', () => new Promise(resolve => setTimeout(resolve, 5)))
    const answer = await call(app, 'notes_get', { note_id: 'a' })
    if (answer.statusCode === 200) t.match(readText(answer), { data: { id: 'a' } })
    else
      t.match(
        [answer.statusCode, answer.json().code, answer.headers['retry-after']],
        [503, 'unavailable', /^\d+$/],
      )
    t.ok(
      return503OnClosing ? answer.statusCode === 503 : [200, 503].includes(answer.statusCode),
      `${answer.statusCode}`,
    )
  }
})

testBothWays('a hook that ran before the plugin and lost the context loses no identity', async t => {
  const waiting: (() => void)[] = []
  const timer = setInterval(() => waiting.splice(0).forEach(work => void work()), 1)
  t.teardown(() => clearInterval(timer))
  const { app } = await createNotes(t, {
    before: app => app.addHook('onRequest', (_request, _reply, done) => void waiting.push(done)),
  })
  t.match(readText(await call(app, 'notes_get', { note_id: 'a' })), { data: { id: 'a' } })
})

test('what a route sees has the members of the requests and responses of Node', async t => {
  const missing: string[] = []
  const { app } = await createNotes(t, {
    mcp: { dispatch: 'direct' },
    routes: app =>
      app.get(
        '/members',
        {
          schema: { operationId: 'members', summary: 'Members', response: { 200: {} } },
          serializerCompiler: () => JSON.stringify,
          config: { scopes: [], mcp: true },
        },
        async ({ raw }, reply) => {
          missing.push(...membersOf(IncomingMessage).filter(name => !(name in raw)))
          missing.push(
            ...[ServerResponse, OutgoingMessage].flatMap(membersOf).filter(name => !(name in reply.raw)),
          )
          return {}
        },
      ),
  })
  await call(app, 'members')
  t.ok(membersOf(IncomingMessage).includes('headersDistinct'))
  t.ok(membersOf(OutgoingMessage).includes('setHeader'))
  t.same(missing, [])
})

function membersOf({ prototype }: { prototype: object }): readonly string[] {
  return Object.getOwnPropertyNames(prototype).filter(name => !name.startsWith('_') && name !== 'constructor')
}
