import type { FastifyInstance, FastifyReply, RouteOptions } from 'fastify'
import { call, legacy, readText } from './toy-client.ts'
import { createNotes } from './toy-notes.ts'
import { testBothWays } from './ways.ts'

/** Routes of one URL that only their constraints tell apart; each answers its own name and the host it sees. */
function addConstrained(
  app: FastifyInstance,
  constraints: Readonly<Record<string, RouteOptions['constraints']>>,
): void {
  for (const [name, constraint] of Object.entries(constraints)) {
    app.route({
      method: 'GET',
      url: '/one/:id',
      ...(constraint && { constraints: constraint }),
      schema: { operationId: name, summary: name, response: { 200: {} } },
      serializerCompiler: () => JSON.stringify,
      config: { scopes: [], mcp: { resource: { uri: `toys://${name}/{id}` } } },
      handler: async ({ host }) => ({ name, host }),
    })
  }
}

testBothWays('a tool reaches its own route among those of the same URL', async t => {
  const { app } = await createNotes(t, {
    routes: app =>
      addConstrained(app, {
        plain: undefined,
        second: { version: '2.0.0' },
        third: { version: '3.1.4' },
        elsewhere: { host: 'other.test' },
        both: { host: 'other.test', version: '2.0.0' },
      }),
  })
  const headers = { host: 'api.test' }
  for (const name of ['second', 'third']) {
    t.same(readText(await call(app, name, { id: 'a' }, { headers })), { name, host: 'api.test' })
    t.same(readText(await call(app, name, { id: 'a' })).name, name)
  }
  for (const name of ['elsewhere', 'both'])
    t.same(readText(await call(app, name, { id: 'a' }, { headers })), { name, host: 'other.test' })
  t.same(readText(await call(app, 'plain', { id: 'a' })).name, 'plain')
  const read = await legacy(app, 'resources/read', { uri: 'toys://second/a' })
  t.equal(JSON.parse(read.json().result.contents[0].text).name, 'second')
  // Asked for the caller's rights alone, before an argument is refused.
  t.equal(readText(await call(app, 'second', { id: '..' })).code, 'validation_failed')
})

testBothWays('an argument that the router finds too long is refused as it is over REST', async t => {
  const { app } = await createNotes(t, { routes: app => addConstrained(app, { plain: undefined }) })
  const id = 'a'.repeat(101)
  const rest = await app.inject({ url: `/one/${id}` })
  t.equal(rest.statusCode, 414)
  const { content, isError } = (await call(app, 'plain', { id })).json().result
  t.equal(isError, true)
  t.same(content, [{ type: 'text', text: rest.body }])
  const read = (await legacy(app, 'resources/read', { uri: `toys://plain/${id}` })).json().error
  t.equal(read.code, -32602)
  t.match(read.data.problem, 'FST_ERR_MAX_PARAM_LENGTH')
})

testBothWays('the application words it where it words errors of the router', async t => {
  const { app } = await createNotes(t, {
    server: {
      frameworkErrors(error, _request, reply: FastifyReply) {
        reply.code(414).send({ code: 'too_long', detail: error.code })
      },
    },
    routes: app => addConstrained(app, { plain: undefined }),
  })
  const answer = await call(app, 'plain', { id: 'a'.repeat(101) })
  t.match(answer.json().result, { isError: true })
  t.same(readText(answer), { code: 'too_long', detail: 'FST_ERR_MAX_PARAM_LENGTH' })
})

testBothWays('a hook before the plugin that refuses is heard as the route would be', async t => {
  for (const [status, code, wanted] of [
    [418, 'teapot', { result: { isError: true } }],
    [500, 'broken', { error: { code: -32603 } }],
    [404, 'hidden', { result: { isError: true } }],
    [204, 'nothing', { result: { isError: true } }],
  ] as const) {
    const { app, reached } = await createNotes(t, {
      before: app =>
        app.addHook('onRequest', async (request, reply) =>
          request.url.startsWith('/api') ? reply.code(status).send({ code }) : undefined,
        ),
    })
    const answer = (await call(app, 'notes_get', { note_id: 'a' })).json()
    t.match(answer, wanted, `${status}`)
    t.same(reached, [])
    if (status === 418) t.same(JSON.parse(answer.result.content[0].text), { code })
    // What did not come from the route is no success, and that there is none is said in the plugin's own words.
    if (status === 404 || status === 204)
      t.match(JSON.parse(answer.result.content[0].text), { code: 'not_found', status: 404 })
  }
})
