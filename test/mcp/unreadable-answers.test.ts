import { gzipSync } from 'node:zlib'
import Fastify, { type FastifyReply } from 'fastify'
import { mcp } from '../../plugins/mcp/index.ts'
import { attempt } from './confirmation-client.ts'
import { createAnswering } from './toy-answering.ts'
import { call, legacy, readText, textOf } from './toy-client.ts'
import { toyOptions } from './toy-notes.ts'
import { currentWay, testBothWays } from './ways.ts'

type Send = (reply: FastifyReply) => unknown

/** Successful answers that are no text, and what tells. */
const unreadable: readonly (readonly [string, Send])[] = [
  [
    'content-encoding gzip',
    reply => reply.type('application/json').header('content-encoding', 'gzip').send(gzipSync('{"a":1}')),
  ],
  ['content-encoding br', reply => reply.type('text/plain').header('content-encoding', 'br').send('x')],
  ['content-type image/png', reply => reply.type('image/png').send(Buffer.from([0x89, 0x50]))],
  ['content-type application/octet-stream', reply => reply.send(Buffer.from('{"a":1}'))],
  ['content-type application/pdf', reply => reply.type('application/pdf').send(Buffer.from('%PDF'))],
  ['content-type audio/mpeg', reply => reply.type('audio/mpeg').send(Buffer.from('x'))],
  ['content-type multipart/mixed', reply => reply.type('multipart/mixed; boundary=x').send('--x--')],
  ['charset=iso-8859-1', reply => reply.type('text/plain; charset=iso-8859-1').send(Buffer.from([0xe9]))],
  ['charset=UTF-16', reply => reply.type('application/json; charset=UTF-16').send(Buffer.from('x'))],
]

testBothWays(
  'a successful answer that is no text in UTF-8 is an internal error, and the log says why',
  async t => {
    for (const [told, send] of unreadable) {
      const { app, lines } = await createAnswering(t, { send })
      for (const answer of [await call(app, 'get'), await legacy(app, 'tools/call', { name: 'get' })]) {
        const { error } = answer.json()
        t.equal(answer.statusCode, 200)
        t.equal(error.code, -32603, told)
        t.match(error.message, /a body that is no text.*\(request .+\)/)
      }
      t.match(lines[0], { level: 50, tool: 'get', route: 'GET /get', status: 200 })
      t.ok(String(lines[0]?.msg).includes(told), String(lines[0]?.msg))
    }
  },
)

testBothWays('a resource that is no text in UTF-8 is an internal error, and the log says why', async t => {
  for (const [told, send] of unreadable) {
    const config = { tool: false, resource: { uri: 'toys://get' } }
    const { app, lines } = await createAnswering(t, { send, config })
    const { error } = (await legacy(app, 'resources/read', { uri: 'toys://get' })).json()
    t.equal(error.code, -32603)
    t.ok(String(lines[0]?.msg).includes(told), String(lines[0]?.msg))
  }
})

testBothWays('text of every kind is a result, and so is what names no kind', async t => {
  const types = [
    'text/plain',
    'TEXT/CSV; Charset="UTF-8"',
    'text/plain; charset=us-ascii',
    'application/json;charset=utf8',
    'application/problem+json',
    'application/x-ndjson',
    'application/xml',
    'application/atom+xml; charset=utf-8; type=feed',
    'application/yaml',
    'image/svg+xml',
    'message/rfc822',
  ]
  for (const type of types) {
    const { app } = await createAnswering(t, {
      response: { type: 'string' },
      send: reply => reply.header('content-encoding', 'identity').header('content-type', type).send('é'),
    })
    const answer = await call(app, 'get')
    t.equal(answer.json().result?.isError, undefined, type)
    t.equal(textOf(answer), 'é', type)
  }
  const { app } = await createAnswering(t, {
    response: { type: 'string' },
    send: reply => {
      reply.hijack()
      reply.raw.end('é')
    },
  })
  t.equal(textOf(await call(app, 'get')), 'é')
})

testBothWays('a refusal without a body says its status in words', async t => {
  for (const [status, code] of [
    [404, 'not_found'],
    [409, 'conflict'],
    [412, 'precondition_failed'],
    [499, 'refused'],
  ] as const) {
    const { app } = await createAnswering(t, { send: reply => reply.code(status).send() })
    const answer = await call(app, 'get')
    t.equal(answer.json().result.isError, true)
    const problem = readText(answer)
    t.match(problem, { type: 'about:blank', status, code, request_id: String })
    t.ok(problem.detail.includes(String(status)))
  }
})

testBothWays('a refusal whose body is no text says its status in words, and the log says why', async t => {
  const { app, lines } = await createAnswering(t, {
    send: reply => reply.code(410).header('content-encoding', 'gzip').send(gzipSync('gone')),
  })
  t.match(readText(await call(app, 'get')), { status: 410, code: 'gone' })
  t.match(lines, [{ level: 40, tool: 'get', status: 410, msg: /content-encoding gzip/ }])
})

testBothWays(
  'an answer without the object that the output schema promises is a warning in the log',
  async t => {
    const sends: readonly (readonly [number, Send])[] = [
      [204, reply => reply.code(204).send()],
      [200, reply => reply.send('{"a":1}')],
      [200, reply => reply.type('application/json').send('null')],
      [201, reply => reply.code(201).type('application/json').send('[1]')],
    ]
    for (const [status, send] of sends) {
      const { app, lines } = await createAnswering(t, { send })
      const { result } = (await call(app, 'get')).json()
      t.equal(result.content.length, 1)
      t.notOk('structuredContent' in result || 'isError' in result)
      t.match(lines, [{ level: 40, tool: 'get', route: 'GET /get', status, msg: /output schema/ }])
    }
    const { app, lines } = await createAnswering(t, { send: () => ({ a: 1 }) })
    await call(app, 'get')
    t.same(lines, [], 'and no warning where it is there')
  },
)

testBothWays('a question about what is no JSON is not asked, and the log does not quote it', async t => {
  const lines: Record<string, unknown>[] = []
  const app = Fastify({
    logger: { level: 'warn', stream: { write: line => void lines.push(JSON.parse(line)) } },
  })
  t.teardown(() => app.close())
  const keys = ['a key of this test that is long enough']
  await app.register(mcp, {
    ...toyOptions,
    permissions: undefined,
    dispatch: currentWay(),
    confirmation: { keys },
  })
  const response = { 200: { type: 'object', additionalProperties: true, properties: {} } }
  app.get(
    '/odd',
    { schema: { operationId: 'odd_get', summary: 'Odd', response }, config: { scopes: [], mcp: true } },
    async (_request, reply) => reply.type('text/plain').send('a secret of somebody'),
  )
  app.delete(
    '/odd',
    {
      schema: { operationId: 'odd_delete', summary: 'Odd', response },
      config: { scopes: [], mcp: { preview: 'odd_get' } },
    },
    async () => ({}),
  )
  const { error } = (await attempt(app, { name: 'odd_delete', args: {} })).json()
  t.equal(error.code, -32603)
  t.match(lines, [{ level: 50, tool: 'odd_get', route: 'GET /odd', status: 200, msg: /not the JSON/ }])
  t.notMatch(JSON.stringify([error, lines]), 'secret')
})
