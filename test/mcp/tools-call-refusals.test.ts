import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { refuse } from './toy-callers.ts'
import { call, legacy, modern, readText, textOf } from './toy-client.ts'
import { createNotes, metadataUrl } from './toy-notes.ts'
import { testBothWays } from './ways.ts'

/** A tool that answers with the status it is asked for. */
function statuses(app: FastifyInstance): void {
  app.post<{ Body: { status: number; headers?: Record<string, string> } }>(
    '/statuses',
    {
      schema: {
        operationId: 'answer',
        summary: 'Answer with a status',
        body: z.object({ status: z.int(), headers: z.record(z.string(), z.string()).optional() }),
        response: { 200: z.looseObject({}) },
      },
      serializerCompiler: () => data => JSON.stringify(data),
      config: { scopes: ['notes:read'], mcp: true },
    },
    async ({ body }, reply) =>
      reply
        .code(body.status)
        .headers({ ...body.headers })
        .send({ secret: 'inside', status: body.status }),
  )
}

testBothWays(
  'every 4xx that the caller can act on is a result with isError and the own words of the endpoint',
  async t => {
    const { app } = await createNotes(t, { routes: statuses })
    for (const status of [400, 402, 403, 404, 405, 406, 409, 410, 412, 413, 415, 418, 422, 428, 451]) {
      for (const answer of [
        await call(app, 'answer', { status }),
        await legacy(app, 'tools/call', { name: 'answer', arguments: { status } }),
      ]) {
        t.equal(answer.statusCode, 200, String(status))
        const { isError, structuredContent } = answer.json().result
        t.equal(isError, true)
        t.equal(structuredContent, undefined, 'an error body would break the output schema')
        t.equal(textOf(answer), `{"secret":"inside","status":${status}}`)
      }
    }
  },
)

testBothWays('what the caller cannot act on is -32603 with the request id, and nothing else', async t => {
  const { app } = await createNotes(t, { routes: statuses })
  for (const status of [300, 301, 302, 303, 304, 307, 308, 500, 501, 502, 504, 507, 599]) {
    for (const answer of [
      await call(app, 'answer', { status }),
      await legacy(app, 'tools/call', { name: 'answer', arguments: { status } }),
    ]) {
      t.equal(answer.statusCode, 200, String(status))
      const { error } = answer.json()
      t.equal(error.code, -32603)
      t.type(error.data.requestId, 'string')
      t.match(error.message, error.data.requestId)
      t.notMatch(answer.body, /secret|inside/)
    }
  }
})

testBothWays('what a handler throws is not leaked', async t => {
  const { app } = await createNotes(t, {
    server: { genReqId: () => 'req-42' },
    routes: app => {
      app.get(
        '/broken',
        {
          schema: { operationId: 'broken', summary: 'Break', response: { 200: z.object({ a: z.string() }) } },
          config: { scopes: [], mcp: true },
        },
        async () => {
          throw new Error('password=hunter2')
        },
      )
      app.get(
        '/misdeclared',
        {
          schema: {
            operationId: 'misdeclared',
            summary: 'Lie',
            response: { 200: z.object({ a: z.string() }) },
          },
          config: { scopes: [], mcp: true },
        },
        async () => ({ b: 'hunter2' }),
      )
      app.get(
        '/broken-off',
        {
          schema: { operationId: 'broken_off', summary: 'Break off', response: { 200: z.object({}) } },
          config: { scopes: [], mcp: true },
        },
        (_request, reply) => {
          reply.hijack()
          reply.raw.destroy(new Error('hunter2'))
        },
      )
    },
  })
  for (const name of ['broken', 'misdeclared', 'broken_off']) {
    const answer = await call(app, name)
    t.equal(answer.statusCode, 200)
    t.same(answer.json(), {
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32603, message: 'Internal error (request req-42)', data: { requestId: 'req-42' } },
    })
  }
})

testBothWays('an inner 429 or 503 is one of HTTP, with Retry-After', async t => {
  const { app } = await createNotes(t, { routes: statuses })
  for (const [status, code] of [
    [429, 'rate_limited'],
    [503, 'unavailable'],
  ] as const) {
    const named = await call(app, 'answer', { status, headers: { 'retry-after': '17' } })
    t.equal(named.statusCode, status)
    t.equal(named.headers['retry-after'], '17')
    t.equal(named.json().code, code)
    t.notMatch(named.body, /secret|inside/)
    const silent = await legacy(app, 'tools/call', { name: 'answer', arguments: { status } })
    t.equal(silent.statusCode, status)
    t.match(silent.headers['retry-after'], /^\d+$/)
    t.equal(silent.headers['cache-control'], 'no-store')
  }
})

testBothWays('an inner 401 is one of HTTP, so that the client gets a new token', async t => {
  const { app } = await createNotes(t, { routes: statuses })
  const answer = await call(app, 'answer', { status: 401 })
  t.equal(answer.statusCode, 401)
  t.equal(answer.json().code, 'unauthorized')
  t.equal(
    answer.headers['www-authenticate'],
    `Bearer resource_metadata="${metadataUrl}", scope="notes:read notes:write", error="invalid_token"`,
  )
  t.notMatch(answer.body, 'secret')
})

testBothWays('a scope that the token lacks is 403 with every scope the tool needs, in both eras', async t => {
  const { app, reached } = await createNotes(t, {
    routes: app => {
      app.get(
        '/both',
        {
          schema: { operationId: 'both', summary: 'Needs both', response: { 200: z.object({}) } },
          config: { scopes: ['notes:read', 'notes:write'], mcp: true },
        },
        async () => ({}),
      )
    },
  })
  for (const [name, scope] of [
    ['notes_create', 'notes:write'],
    ['both', 'notes:read notes:write'],
  ] as const) {
    for (const answer of [
      await call(app, name, { title: 'a' }, { as: 'rob' }),
      await legacy(app, 'tools/call', { name, arguments: {} }, { as: 'rob' }),
    ]) {
      t.equal(answer.statusCode, 403)
      t.equal(answer.json().code, 'insufficient_scope')
      t.equal(
        answer.headers['www-authenticate'],
        `Bearer resource_metadata="${metadataUrl}", scope="${scope}", error="insufficient_scope"`,
      )
    }
  }
  t.same(reached, [])
})

testBothWays("a scope that the route's own check misses is 403 as well", async t => {
  const { app } = await createNotes(t, { routes: statuses })
  const headers = { 'www-authenticate': 'Bearer error="insufficient_scope", scope="other"' }
  const answer = await call(app, 'answer', { status: 403, headers })
  t.equal(answer.statusCode, 403)
  t.match(answer.headers['www-authenticate'], 'scope="notes:read", error="insufficient_scope"')
})

testBothWays(
  'what the person may not do is a result that says forbidden, as the endpoint says it',
  async t => {
    const { app, reached } = await createNotes(t)
    const rest = await app.inject({
      method: 'POST',
      url: '/api/notes',
      headers: { authorization: 'Bearer vera' },
      payload: { title: 'a' },
    })
    t.equal(rest.statusCode, 403)
    const answer = await call(app, 'notes_create', { title: 'a' }, { as: 'vera' })
    t.equal(answer.statusCode, 200)
    t.equal(answer.json().result.isError, true)
    t.equal(textOf(answer), rest.body)
    t.equal(readText(answer).code, 'forbidden')
    t.same(reached, [])
  },
)

testBothWays('permission comes before arguments, also before those that no request could carry', async t => {
  const { app, reached } = await createNotes(t)
  const calls: readonly (readonly [string, object])[] = [
    ['notes_update', {}],
    ['notes_update', { note_id: '..' }],
    ['notes_update', { note_id: 'a', if_match: 7 }],
    ['notes_update', { note_id: 'a', title: 7 }],
    ['notes_delete', {}],
    ['notes_delete', { note_id: '' }],
    ['notes_mark_read', { note_id: 'a', nonsense: 1 }],
  ]
  for (const [name, args] of calls) {
    t.equal(readText(await call(app, name, args, { as: 'vera' })).code, 'forbidden', JSON.stringify(args))
    t.equal(readText(await call(app, name, args)).code, 'validation_failed', JSON.stringify(args))
    t.equal((await call(app, name, args, { as: 'rob' })).statusCode, 403)
  }
  t.same(reached, [])
})

testBothWays(
  'what the own checks of the API cannot say now keeps its meaning, whatever the arguments',
  async t => {
    let error = refuse(503, { 'retry-after': '3' })
    const { app } = await createNotes(t, {
      routes: app =>
        app.register(async child => {
          child.addHook('onRequest', async () => {
            throw error
          })
          child.get(
            '/closed/:id',
            {
              schema: { operationId: 'closed', summary: 'Closed', response: { 200: z.object({}) } },
              config: { scopes: [], mcp: true },
            },
            async () => ({}),
          )
        }),
    })
    for (const id of ['a', '..', undefined]) {
      error = refuse(503, { 'retry-after': '3' })
      t.equal((await call(app, 'closed', { id })).statusCode, 503)
      error = refuse(500)
      t.equal((await call(app, 'closed', { id })).json().error.code, -32603)
    }
  },
)

testBothWays('validation names the argument that is wrong', async t => {
  const { app, reached } = await createNotes(t)
  for (const [name, args, named] of [
    ['notes_list', { limit: 0 }, 'limit'],
    ['notes_list', { unknown: 1 }, 'unknown'],
    ['notes_create', {}, 'title'],
    ['notes_create', { title: 'a', tags: 'b' }, 'tags'],
    ['notes_create', { title: 'a', 'x-workspace-id': 'w2' }, 'x-workspace-id'],
    ['notes_delete', { note_id: 'a', reason: 'no' }, 'reason'],
  ] as const) {
    const answer = await call(app, name, args)
    t.equal(answer.statusCode, 200)
    t.equal(answer.json().result.isError, true, `${name} ${named}`)
    t.equal(readText(answer).code, 'validation_failed')
    t.match(textOf(answer), named)
  }
  t.same(reached, [])
  t.equal((await modern(app, 'tools/list')).statusCode, 200)
})
