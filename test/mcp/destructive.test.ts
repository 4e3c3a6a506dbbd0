import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { mcp } from '../../plugins/mcp/index.ts'
import { refuse } from './toy-callers.ts'
import { call, legacy, type More, readText, textOf } from './toy-client.ts'
import { createNotes, metadataUrl, toyOptions } from './toy-notes.ts'
import { currentWay, testBothWays } from './ways.ts'

/** A destructive tool that no verb betrays. */
function sending(app: FastifyInstance, ran: unknown[]): void {
  app.post(
    '/send',
    {
      schema: {
        operationId: 'send',
        summary: 'Send out',
        body: z.strictObject({ to: z.string() }),
        response: { 200: z.object({ sent: z.boolean() }) },
      },
      config: { scopes: ['notes:write'], mcp: { destructive: true } },
      preHandler: async request => {
        if (request.headers['x-workspace-id'] === 'closed') throw refuse(409)
      },
    },
    async request => {
      ran.push(request.body)
      return { sent: true }
    },
  )
}

const clients: readonly (readonly [
  string,
  (app: FastifyInstance, name: string, args: object, more?: More) => ReturnType<typeof call>,
])[] = [
  ['2025', (app, name, args, more) => legacy(app, 'tools/call', { name, arguments: args }, more)],
  ['2026-07-28 without elicitation', call],
  [
    '2026-07-28 with URLs only',
    (app, name, args, more) => call(app, name, args, { ...more, capabilities: { elicitation: { url: {} } } }),
  ],
]

for (const [client, callTool] of clients) {
  testBothWays(`${client} cannot confirm: a destructive tool says so and does not run`, async t => {
    const ran: unknown[] = []
    const { app, reached } = await createNotes(t, { routes: app => sending(app, ran) })
    for (const [name, args] of [
      ['notes_delete', { note_id: 'a', reason: 'old' }],
      ['send', { to: 'b' }],
    ] as const) {
      const answer = await callTool(app, name, args)
      t.equal(answer.statusCode, 200)
      const { isError, structuredContent } = answer.json().result
      t.equal(isError, true)
      t.equal(structuredContent, undefined)
      const problem = readText(answer)
      t.match(problem, { code: 'confirmation_required', title: 'Confirmation required', status: 409 })
      t.match(problem.detail, /not set up to ask/)
      t.match(problem.detail, /Nothing was done/)
      t.type(problem.request_id, 'string')
    }
    t.same(reached, [])
    t.same(ran, [])
  })

  testBothWays(`${client} is told first what else is wrong: scope, permission, arguments`, async t => {
    const ran: unknown[] = []
    const { app, reached } = await createNotes(t, { routes: app => sending(app, ran) })
    const unscoped = await callTool(app, 'notes_delete', { note_id: '..', reason: 'no' }, { as: 'rob' })
    t.equal(unscoped.statusCode, 403)
    t.equal(
      unscoped.headers['www-authenticate'],
      `Bearer resource_metadata="${metadataUrl}", scope="notes:write", error="insufficient_scope"`,
    )
    for (const args of [{ note_id: 'a' }, { note_id: 'a', reason: 'no' }, {}]) {
      const forbidden = await callTool(app, 'notes_delete', args, { as: 'vera' })
      t.equal(readText(forbidden).code, 'forbidden', JSON.stringify(args))
    }
    for (const args of [{}, { note_id: '.' }, { note_id: 'a', reason: 'no' }, { note_id: 'a', other: 1 }]) {
      const invalid = await callTool(app, 'notes_delete', args)
      t.equal(readText(invalid).code, 'validation_failed', JSON.stringify(args))
    }
    t.match(textOf(await callTool(app, 'send', { to: 7 })), 'to')
    t.equal((await callTool(app, 'nothing', {})).json().error.code, -32602)
    t.same(reached, [])
    t.same(ran, [])
  })
}

testBothWays('hooks before the handler still have their say', async t => {
  const ran: unknown[] = []
  const { app } = await createNotes(t, { routes: app => sending(app, ran) })
  const answer = await call(app, 'send', { to: 'a' }, { headers: { 'x-workspace-id': 'closed' } })
  t.match(readText(answer), { statusCode: 409, message: 'refused with 409' })
  t.equal(answer.json().result.isError, true)
  t.same(ran, [])
})

testBothWays('over REST the same routes run without a question', async t => {
  const ran: unknown[] = []
  const { app, reached } = await createNotes(t, { routes: app => sending(app, ran) })
  const headers = { authorization: 'Bearer ana' }
  const deleted = await app.inject({ method: 'DELETE', url: '/api/notes/a?reason=old', headers })
  t.equal(deleted.statusCode, 204)
  t.match(reached, [{ route: 'notes_delete', params: { note_id: 'a' }, user: 'usr_ana' }])
  const sent = await app.inject({ method: 'POST', url: '/send', payload: { to: 'b' } })
  t.same(sent.json(), { sent: true })
  t.same(ran, [{ to: 'b' }])
})

testBothWays('a DELETE that says that it destroys nothing runs', async t => {
  const ran: string[] = []
  const { app } = await createNotes(t, {
    routes: app =>
      app.delete(
        '/caches',
        {
          schema: { operationId: 'caches_clear', summary: 'Clear caches', response: { 204: z.null() } },
          config: { scopes: [], mcp: { destructive: false } },
        },
        async (_request, reply) => {
          ran.push('cleared')
          return reply.code(204).send(null)
        },
      ),
  })
  t.equal((await call(app, 'caches_clear')).json().result.isError, undefined)
  t.same(ran, ['cleared'])
})

testBothWays('a destructive route made of the options of one that is not asks first', async t => {
  const ran: string[] = []
  const { app } = await createNotes(t, {
    routes: api => {
      const schema = {
        operationId: 'archive',
        summary: 'Archive',
        response: { 200: z.object({ ran: z.string() }) },
      }
      api.addHook('onRoute', route => {
        if (route.method !== 'POST' || route.url !== '/archive') return
        api.route({
          ...route,
          method: 'DELETE',
          url: '/cleared',
          schema: { ...schema, operationId: 'clear' },
        })
      })
      api.post('/archive', { schema, config: { scopes: [], mcp: true } }, async ({ method }) => {
        ran.push(method)
        return { ran: method }
      })
    },
  })
  t.equal(readText(await call(app, 'clear')).code, 'confirmation_required')
  t.same(ran, [])
  t.same(readText(await call(app, 'archive')), { ran: 'POST' })
  const answer = await app.inject({
    method: 'DELETE',
    url: '/cleared',
    headers: { authorization: 'Bearer ana' },
  })
  t.same(answer.json(), { ran: 'DELETE' })
})

testBothWays('a route that only one endpoint takes for destructive asks there', async t => {
  const { app } = await createNotes(t, {
    routes: api =>
      api.register(async child => {
        child.addHook('onRoute', ({ config }) => {
          if (config?.mcp === true) config.mcp = { destructive: true }
        })
        await child.register(mcp, { ...toyOptions, dispatch: currentWay(), path: '/careful' })
        const schema = {
          operationId: 'archive',
          summary: 'Archive',
          response: { 200: z.object({ ran: z.boolean() }) },
        }
        child.post('/archive', { schema, config: { scopes: [], mcp: true } }, async () => ({ ran: true }))
      }),
  })
  t.equal(readText(await call(app, 'archive', {}, { url: '/careful' })).code, 'confirmation_required')
  t.same(readText(await call(app, 'archive')), { ran: true })
})

testBothWays('hooks that such a route adds have their say before anybody is asked', async t => {
  const { app } = await createNotes(t, {
    routes: api => {
      const schema = {
        operationId: 'wipe',
        summary: 'Wipe',
        response: { 200: z.object({ ran: z.boolean() }) },
      }
      api.addHook('onRoute', route => {
        if (route.url !== '/wipe') return
        const refusal = async () => {
          throw refuse(409)
        }
        const preHandler = [route.preHandler ?? [], refusal].flat()
        api.route({ ...route, url: '/wiped', schema: { ...schema, operationId: 'wipe_all' }, preHandler })
      })
      api.delete('/wipe', { schema, config: { scopes: [], mcp: true } }, async () => ({ ran: true }))
    },
  })
  t.equal(readText(await call(app, 'wipe')).code, 'confirmation_required')
  t.match(readText(await call(app, 'wipe_all')), { statusCode: 409, message: 'refused with 409' })
})
