import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import {
  call,
  capabilitiesKey,
  clientInfoKey,
  legacy,
  modern,
  post,
  readText,
  textOf,
  versionKey,
} from './toy-client.ts'
import { createNotes } from './toy-notes.ts'
import { testBothWays } from './ways.ts'

/** A tool that answers whatever the test wants. */
function answering(
  app: FastifyInstance,
  name: string,
  { response, send }: { response: unknown; send: (reply: FastifyReply) => unknown },
): void {
  app.get(
    `/answers/${name}`,
    {
      schema: { operationId: name, summary: name, response },
      serializerCompiler: () => data => JSON.stringify(data),
      config: { scopes: [], mcp: true },
    },
    async (_request, reply) => send(reply),
  )
}

const anyObject = { 200: z.looseObject({}) }

testBothWays(
  'the result is the body of the answer, byte for byte, and the same again as structured content',
  async t => {
    const { app } = await createNotes(t)
    const rest = await app.inject({
      url: '/api/notes?q=caf%C3%A9&limit=5&tag=a&tag=b',
      headers: { authorization: 'Bearer ana' },
    })
    const args = { q: 'café', limit: 5, tag: ['a', 'b'] }
    for (const answer of [
      await call(app, 'notes_list', args),
      await legacy(app, 'tools/call', { name: 'notes_list', arguments: args }),
    ]) {
      const { content, structuredContent, isError } = answer.json().result
      t.same(content, [{ type: 'text', text: rest.body }])
      t.same(structuredContent, rest.json())
      t.equal(isError, undefined)
      t.ok(answer.body.includes(`"structuredContent":${rest.body}`), 'spliced as it is')
    }
  },
)

testBothWays('arguments may be left out, and are an object otherwise', async t => {
  const { app } = await createNotes(t)
  t.ok((await call(app, 'notes_list')).json().result.content)
  t.ok((await call(app, 'notes_list', {})).json().result.content)
  for (const args of [null, [], 'limit=1', 7, true]) {
    const answer = await modern(app, 'tools/call', { name: 'notes_list', arguments: args })
    t.equal(answer.statusCode, 200)
    t.equal(answer.json().error?.code, -32602, JSON.stringify(args))
  }
})

testBothWays('a tool that does not exist is -32602, whatever it is called', async t => {
  const { app } = await createNotes(t)
  const names = [
    'nothing',
    '',
    'NOTES_LIST',
    'notes_list ',
    '__proto__',
    'constructor',
    'toString',
    '/api/notes',
  ]
  for (const name of names) {
    for (const answer of [
      await call(
        app,
        name,
        {},
        { headers: { 'mcp-name': `=?base64?${Buffer.from(name).toString('base64')}?=` } },
      ),
      await legacy(app, 'tools/call', { name, arguments: {} }),
    ]) {
      t.equal(answer.statusCode, 200)
      t.equal(answer.json().error.code, -32602, name)
    }
  }
  const long = await legacy(app, 'tools/call', { name: 'n'.repeat(100_000) })
  t.ok(long.json().error.message.length < 200)
  for (const params of [{}, { name: 7 }, { name: ['notes_list'] }, { name: null }]) {
    t.equal((await legacy(app, 'tools/call', params)).json().error.code, -32602)
  }
})

testBothWays('204 is an empty text', async t => {
  const { app } = await createNotes(t)
  const { result } = (await call(app, 'notes_mark_read', { note_id: 'a' })).json()
  t.same(result.content, [{ type: 'text', text: '' }])
  t.notOk('isError' in result || 'structuredContent' in result)
})

testBothWays('202 is a result like any other', async t => {
  const operation = { id: 'opr_1', status: 'queued' }
  const { app } = await createNotes(t, {
    routes: app =>
      answering(app, 'start', {
        response: { 202: z.object({ id: z.string(), status: z.string() }) },
        send: reply => reply.code(202).header('location', '/operations/opr_1').send(operation),
      }),
  })
  t.match((await call(app, 'start')).json().result, { structuredContent: operation, isError: undefined })
})

testBothWays(
  'structured content needs every successful answer to be declared an object, and this one to be one',
  async t => {
    const { app } = await createNotes(t, {
      routes: app => {
        answering(app, 'list', { response: { 200: z.array(z.string()) }, send: () => ['a'] })
        answering(app, 'either', {
          response: { 200: z.looseObject({}), 201: z.array(z.string()) },
          send: () => ({ a: 1 }),
        })
        answering(app, 'bare', { response: { 200: z.string() }, send: reply => reply.send('plain') })
        answering(app, 'other', { response: anyObject, send: () => ['not', 'declared'] })
        answering(app, 'text', {
          response: anyObject,
          send: reply => reply.type('text/plain').send('{"a":1}'),
        })
        answering(app, 'lines', {
          response: anyObject,
          send: reply => reply.type('application/x-ndjson').send('{"a":1}\n{"a":2}\n'),
        })
        answering(app, 'vendor', {
          response: anyObject,
          send: reply => reply.type('application/vnd.toy+json; charset=utf-8').send('{"a":1}'),
        })
      },
    })
    for (const [name, text] of [
      ['list', '["a"]'],
      ['either', '{"a":1}'],
      ['bare', 'plain'],
      ['other', '["not","declared"]'],
      ['text', '{"a":1}'],
      ['lines', '{"a":1}\n{"a":2}\n'],
    ] as const) {
      const { result } = (await call(app, name)).json()
      t.equal(result.content[0].text, text, name)
      t.notOk('structuredContent' in result, name)
    }
    t.same((await call(app, 'vendor')).json().result.structuredContent, { a: 1 })
  },
)

testBothWays('any Unicode comes through, and any size', async t => {
  const texts = ['é 日本 🙂 \u0000\u001f\u2028\u2029 \\ " </script>', '\ud800', 'x'.repeat(3_000_000)]
  const { app } = await createNotes(t, {
    routes: app => {
      for (const [index, text] of texts.entries())
        answering(app, `text_${index}`, { response: anyObject, send: () => ({ text }) })
    },
  })
  for (const index of texts.keys()) {
    const rest = await app.inject({ url: `/answers/text_${index}` })
    const answer = await call(app, `text_${index}`)
    t.ok(textOf(answer) === rest.body, `text_${index}`)
    t.same(answer.json().result.structuredContent, rest.json())
  }
})

testBothWays('what a route streams is its body', async t => {
  const { app } = await createNotes(t, {
    routes: app =>
      answering(app, 'stream', {
        response: anyObject,
        send: reply => reply.type('application/json').send(Readable.from(['{"a"', ':1}'])),
      }),
  })
  t.same((await call(app, 'stream')).json().result.structuredContent, { a: 1 })
})

testBothWays('the schema of the result describes what is sent', async t => {
  const { app } = await createNotes(t)
  const { tools } = (await modern(app, 'tools/list')).json().result
  const byName = new Map<string, { outputSchema?: unknown }>(
    tools.map((tool: { name: string }) => [tool.name, tool]),
  )
  t.match(byName.get('notes_list')?.outputSchema, { type: 'object', required: ['data'] })
  t.match(byName.get('notes_create')?.outputSchema, { type: 'object', required: ['data'] })
  t.notOk(byName.get('notes_mark_read')?.outputSchema, 'nothing is sent')
})

testBothWays('hooks of the route run, and what they make of the answer is the result', async t => {
  const { app } = await createNotes(t, {
    routes: app =>
      app.register(async child => {
        child.addHook('preHandler', async (request, reply) => {
          if (request.headers['user-agent'] === 'forbidden') return reply.code(409).send({ code: 'busy' })
        })
        child.addHook('onSend', async (_request, _reply, payload) => `${payload}`.replace('1', '2'))
        answering(child, 'hooked', { response: anyObject, send: () => ({ a: 1 }) })
      }),
  })
  t.same(readText(await call(app, 'hooked')), { a: 2 })
  const refused = await call(app, 'hooked', {}, { headers: { 'user-agent': 'forbidden' } })
  t.equal(refused.json().result.isError, true)
  t.same(readText(refused), { code: 'busy' })
})

testBothWays('concurrent calls are answered each with its own', async t => {
  const { app } = await createNotes(t)
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => call(app, 'notes_list', { q: `q${index}` }, { id: index })),
  )
  for (const [index, answer] of answers.entries()) {
    t.equal(answer.json().id, index)
    t.match(readText(answer), { data: [{ title: `q${index} 20` }] })
  }
})

testBothWays('a call is logged with its tool, client and outcome, and without what was said', async t => {
  const lines: Record<string, unknown>[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const { app } = await createNotes(t, { server: { logger: { stream } } })
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'notes_get',
  }
  const params = {
    name: 'notes_get',
    arguments: { note_id: 'missing' },
    _meta: {
      [versionKey]: '2026-07-28',
      [capabilitiesKey]: {},
      [clientInfoKey]: { name: 'desk', version: '2.3.0' },
    },
  }
  await post(app, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { headers })
  const logged = lines.filter(({ msg }) => msg === 'tool call')
  t.match(logged, [
    {
      tool: 'notes_get',
      outcome: 'error',
      code: 'code_404',
      status: 404,
      client: { name: 'desk', version: '2.3.0' },
      protocolVersion: '2026-07-28',
    },
  ])
  t.type(logged[0]?.milliseconds, 'number')
  t.notMatch(JSON.stringify(logged), /missing|Bearer/)
})
