import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { call, clientInfoKey, legacy, modern, post, readText } from './toy-client.ts'
import { createNotes, userOf } from './toy-notes.ts'
import { testBothWays } from './ways.ts'

/** A tool that answers what its route knows of the request. */
function whoami(
  app: FastifyInstance,
  more: { url?: string; work?: (request: FastifyRequest) => Promise<unknown> } = {},
) {
  const { url = '/who', work } = more
  app.post(
    url,
    {
      schema: {
        operationId: 'who',
        summary: 'Who am I',
        body: z.looseObject({ wait: z.int().optional() }).optional(),
        response: { 200: z.looseObject({}) },
      },
      serializerCompiler: () => data => JSON.stringify(data),
      config: { scopes: [], mcp: true },
    },
    async request => ({
      mcp: request.mcp,
      ip: request.ip,
      headers: request.headers,
      user: userOf(request)?.id ?? null,
      worked: (await work?.(request)) ?? null,
    }),
  )
}

testBothWays('the route of a tool knows the caller, the client, the tool and the request', async t => {
  const { app } = await createNotes(t, { server: { genReqId: () => 'req-1' }, routes: app => whoami(app) })
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'who',
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        [clientInfoKey]: { name: 'n'.repeat(500), version: 'v'.repeat(500), more: 'x' },
      },
    },
  }
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'who' }
  const { mcp } = readText(await post(app, body, { headers }))
  t.same(mcp, {
    caller: { id: 'usr_ana', clientId: 'desk', scopes: ['notes:read', 'notes:write'] },
    client: { name: 'n'.repeat(100), version: 'v'.repeat(50) },
    protocolVersion: '2026-07-28',
    tool: 'who',
    requestId: 'req-1',
    purpose: 'call',
    mode: 'run',
  })
  const old = readText(await legacy(app, 'tools/call', { name: 'who' }))
  t.match(old.mcp, { client: null, protocolVersion: '2025-06-18' })
})

testBothWays('a request from outside carries no identity, whatever it says', async t => {
  const { app } = await createNotes(t, { routes: app => whoami(app) })
  const forged = [
    {},
    { 'x-mcp': '1', 'x-mcp-caller': 'usr_ana', 'mcp-caller': '{"id":"usr_ana"}', mcp: 'true' },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'who' },
    { 'x-forwarded-user': 'usr_ana', 'x-internal': 'true', 'x-request-id': 'req-1' },
  ]
  for (const headers of forged) {
    const answer = await app.inject({ method: 'POST', url: '/who', headers: { ...headers }, payload: {} })
    t.equal(answer.json().mcp, null, JSON.stringify(headers))
  }
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const real = await fetch(`${url}/who`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"mcp":{"caller":{"id":"usr_ana"}}}',
  })
  t.equal(((await real.json()) as { mcp: unknown }).mcp, null)
  const guarded = await app.inject({ url: '/api/notes', headers: { 'x-mcp-caller': 'usr_ana' } })
  t.equal(guarded.statusCode, 401)
})

testBothWays('POST /mcp itself is no dispatched request', async t => {
  const seen: unknown[] = []
  const { app } = await createNotes(t, {
    mcp: {
      limit: request => {
        seen.push(request.mcp)
      },
    },
  })
  await call(app, 'notes_list')
  t.same(seen, [null])
})

testBothWays('the token is not forwarded, and only what is listed of the other headers', async t => {
  const { app } = await createNotes(t, { routes: app => whoami(app) })
  const headers = {
    'x-workspace-id': 'w1',
    'user-agent': 'desk/1.0',
    host: 'api.test',
    cookie: 'session=1',
    'x-other': 'x',
    'if-match': '"1"',
    'idempotency-key': 'k',
    'x-forwarded-for': '203.0.113.9',
    'accept-encoding': 'gzip',
  }
  const seen = readText(await call(app, 'who', {}, { headers })).headers
  t.equal(seen['x-workspace-id'], 'w1')
  t.equal(seen['user-agent'], 'desk/1.0')
  t.equal(seen.host, 'api.test')
  t.same(
    Object.keys(seen).sort(),
    ['content-length', 'content-type', 'host', 'user-agent', 'x-workspace-id'],
    'nothing else, no authorization above all',
  )
  const none = await createNotes(t, { mcp: { forwardHeaders: undefined }, routes: app => whoami(app) })
  t.notOk(readText(await call(none.app, 'who', {}, { headers })).headers['x-workspace-id'])
})

testBothWays('arguments carry neither identity nor tenant', async t => {
  const { app } = await createNotes(t, { routes: app => whoami(app) })
  const args = { 'x-workspace-id': 'w2', authorization: 'Bearer vera', user: 'usr_vera', mcp: { caller: {} } }
  const seen = readText(await call(app, 'who', args))
  t.notOk(seen.headers['x-workspace-id'] ?? seen.headers.authorization)
  t.equal(seen.mcp.caller.id, 'usr_ana')
})

testBothWays("the client's address goes along", async t => {
  const { app } = await createNotes(t, { routes: app => whoami(app) })
  t.equal(readText(await call(app, 'who', {}, { address: '198.51.100.7' })).ip, '198.51.100.7')
  const proxied = await createNotes(t, { server: { trustProxy: true }, routes: app => whoami(app) })
  const headers = { 'x-forwarded-for': '203.0.113.9, 10.0.0.1' }
  t.equal(readText(await call(proxied.app, 'who', {}, { headers })).ip, '203.0.113.9')
})

testBothWays('a request that a handler injects carries no identity, before, during and after', async t => {
  const inner: unknown[] = []
  const { app } = await createNotes(t, {
    routes: app => {
      app.get('/inner', async request => {
        inner.push(request.mcp)
        return {}
      })
      whoami(app, {
        work: async () => {
          const plain = await app.inject({ url: '/inner' })
          const guarded = await app.inject({ url: '/api/notes' })
          const itself = await app.inject({ method: 'POST', url: '/who/inner', payload: {} })
          return [plain.statusCode, guarded.statusCode, itself.json().mcp]
        },
      })
      app.post('/who/inner', async request => ({ mcp: request.mcp }))
    },
  })
  const seen = readText(await call(app, 'who'))
  t.same(seen.worked, [200, 401, null])
  t.same(inner, [null])
  t.equal(seen.mcp.caller.id, 'usr_ana', 'and the tool itself keeps it')
})

testBothWays('a tool may call another endpoint of tools, as another caller', async t => {
  const { app } = await createNotes(t, {
    routes: app =>
      whoami(app, {
        work: async () => readText(await call(app, 'notes_get', { note_id: 'a' }, { as: 'vera' })),
      }),
  })
  const seen = readText(await call(app, 'who'))
  t.equal(seen.worked.data.id, 'a')
  t.equal(seen.mcp.caller.id, 'usr_ana')
})

testBothWays('many calls of several callers at once never mix', async t => {
  const { app } = await createNotes(t, {
    routes: app =>
      whoami(app, {
        work: async request => {
          const { wait } = request.body as { wait: number }
          const before = request.mcp?.caller.id
          await sleep(wait)
          await new Promise(setImmediate)
          const after = request.mcp?.caller.id
          return before === after ? after : 'mixed'
        },
      }),
  })
  const callers = ['ana', 'vera', 'rob', 'zoe']
  const answers = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const as = callers[index % callers.length] ?? ''
      const args = { wait: (index * 7) % 23 }
      const seen = readText(await call(app, 'who', args, { as, address: `198.51.100.${index}` }))
      return [as, index, seen] as const
    }),
  )
  for (const [as, index, seen] of answers) {
    t.equal(seen.mcp.caller.id, `usr_${as}`)
    t.equal(seen.worked, `usr_${as}`)
    t.equal(seen.ip, `198.51.100.${index}`)
  }
})

testBothWays('concurrent requests from outside stay without identity', async t => {
  const { app } = await createNotes(t, { routes: app => whoami(app, { work: () => sleep(5) }) })
  const answers = await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      if (index % 2 === 0) return readText(await call(app, 'who')).mcp?.caller.id
      return (await app.inject({ method: 'POST', url: '/who', payload: {} })).json().mcp
    }),
  )
  for (const [index, id] of answers.entries()) t.equal(id, index % 2 === 0 ? 'usr_ana' : null)
})

/** Runs callbacks outside of whatever asynchronous context they came from, as some connection pools do. */
function createLossyQueue(): { run: (work: () => void) => void; stop: () => void } {
  const waiting: (() => void)[] = []
  const timer = setInterval(() => waiting.splice(0).forEach(work => void work()), 1)
  return { run: work => void waiting.push(work), stop: () => clearInterval(timer) }
}

testBothWays('a hook that loses the asynchronous context loses no identity and confirms nothing', async t => {
  const queue = createLossyQueue()
  t.teardown(queue.stop)
  let ran = 0
  const { app } = await createNotes(t, {
    routes: app =>
      app.register(async child => {
        child.addHook('preHandler', (_request, _reply, done) => queue.run(done))
        whoami(child)
        child.delete(
          '/all',
          {
            schema: { operationId: 'delete_all', summary: 'Delete all', response: { 204: z.null() } },
            config: { scopes: [], mcp: true },
          },
          async (_request, reply) => {
            ran++
            return reply.code(204).send(null)
          },
        )
      }),
  })
  t.equal(readText(await call(app, 'who')).mcp.caller.id, 'usr_ana')
  t.equal(readText(await call(app, 'delete_all')).code, 'confirmation_required')
  t.equal(ran, 0)
  t.equal((await app.inject({ method: 'DELETE', url: '/all' })).statusCode, 204)
  t.equal(ran, 1, 'over REST it runs')
  t.equal((await modern(app, 'tools/list')).statusCode, 200)
})
