import { connect } from 'node:net'
import type { FastifyPluginAsync, LightMyRequestResponse } from 'fastify'
import { pino } from 'pino'
import { type Test, test } from 'tap'
import { z } from 'zod'
import { problem, problems } from '../../../lib/problem/problem.ts'
import { bearer, publicUrl, startApp } from './start-app.ts'

const open = { config: { scopes: [] as string[], tenancy: 'organization' as const } }

/** Routes that fail in every way there is. */
const failing: FastifyPluginAsync = async app => {
  app.post('/notes/:id', {
    ...open,
    bodyLimit: 5000,
    schema: {
      querystring: z.strictObject({ limit: z.coerce.number().int().max(100).optional() }),
      body: z.strictObject({
        title: z.string().min(1),
        labels: z.array(z.string()).optional(),
        policy: z.strictObject({ kind: z.enum(['all', 'none']) }).optional(),
      }),
      response: { 201: z.strictObject({ title: z.string() }), 400: z.strictObject({ error: z.string() }) },
    },
    handler: async (_request, reply) => reply.code(201).send({ title: 'x' }),
  })
  app.get('/secret-failure', open, async () => {
    throw new Error('password=hunter2 at /srv/secret/path.ts')
  })
  app.get('/thrown-string', open, async () => {
    throw 'hunter2'
  })
  app.get('/teapot', open, async () => {
    throw Object.assign(new Error('short and stout: hunter2'), { statusCode: 418 })
  })
  app.get('/away', open, async () => {
    throw Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:5432'), { code: 'ECONNREFUSED' })
  })
  app.get(
    '/wrong-answer',
    { ...open, schema: { response: { 200: z.strictObject({ n: z.number() }) } } },
    async () => ({}),
  )
  app.post('/conflict', open, async (_request, reply) => {
    reply.header('etag', '"1"').header('location', '/elsewhere')
    throw problem('conflict', 'There is one already.', {
      extra: { existing: 'x', status: 200, code: 'spoofed' },
    })
  })
}

test('problem documents', async t => {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: line => lines.push(line) })
  const { app, people } = await startApp(t, { routes: failing, log })
  const headers = bearer(people.ana)

  const post = (url: string, payload: unknown, more: Record<string, string> = {}) =>
    app.inject({ method: 'POST', url, headers: { ...headers, ...more }, payload: payload as object })

  t.test('a URL without a route is a 404', async t => {
    const answer = await app.inject('/api/v1/nothing-here')
    isProblem(t, answer, 'not_found')
  })

  t.test('a URL that answers other methods is a 405 that lists them', async t => {
    const answer = await app.inject({ method: 'DELETE', url: '/api/v1/notes/1?x=1', headers })
    isProblem(t, answer, 'method_not_allowed')
    t.equal(answer.headers.allow, 'POST')
    const read = await app.inject({ method: 'PATCH', url: '/api/v1/teapot', headers })
    t.equal(read.headers.allow, 'GET, HEAD')
  })

  t.test('a URL that cannot be decoded is a 400, an endless id a 414', async t => {
    isProblem(t, await app.inject('/api/v1/%zz'), 'bad_request')
    isProblem(t, await post(`/api/v1/notes/${'x'.repeat(5000)}`, {}), 'uri_too_long')
  })

  t.test('a body that is no JSON, empty, too large or of another type is refused as such', async t => {
    const json = { 'content-type': 'application/json' }
    isProblem(t, await post('/api/v1/notes/1', '{"title":', json), 'malformed_json')
    isProblem(t, await post('/api/v1/notes/1', '', json), 'malformed_json')
    isProblem(t, await post('/api/v1/notes/1', '{"__proto__":{"x":1},"title":"a"}', json), 'malformed_json')
    isProblem(t, await post('/api/v1/notes/1', { title: 'x'.repeat(5001) }), 'payload_too_large')
    isProblem(
      t,
      await post('/api/v1/notes/1', '<a/>', { 'content-type': 'text/xml' }),
      'unsupported_media_type',
    )
  })

  t.test(
    'every wrong, missing and unknown member is named, even where the route declares its 400',
    async t => {
      const answer = await post('/api/v1/notes/1', {
        labels: ['a', 1],
        policy: { kind: 'some', deep: 1 },
        'odd.name': 1,
        more: 2,
      })
      const { errors, detail } = isProblem(t, answer, 'validation_failed')
      t.match(detail, /^The body is not valid: /)
      t.same(errors?.map(({ path, code }) => `${path} ${code}`).sort(), [
        'labels.1 invalid_type',
        'more unknown_member',
        'odd.name unknown_member',
        'policy.deep unknown_member',
        'policy.kind invalid_value',
        'title required',
      ])
    },
  )

  t.test('a query parameter that is unknown or wrong is named', async t => {
    const unknown = isProblem(t, await post('/api/v1/notes/1?foo=1', { title: 'a' }), 'validation_failed')
    t.match(unknown.errors, [{ path: 'foo', code: 'unknown_member' }])
    const wrong = isProblem(t, await post('/api/v1/notes/1?limit=500', { title: 'a' }), 'validation_failed')
    t.match(wrong.errors, [{ path: 'limit', code: 'too_big' }])
  })

  t.test('an enormous number of unknown members does not make an enormous answer', async t => {
    const members = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`m${at}`, 1]))
    const answer = await post('/api/v1/notes/1', members)
    t.ok((isProblem(t, answer, 'validation_failed').errors?.length ?? 0) <= 100)
  })

  t.test('a failure on our side says nothing of itself and is in the log under its request id', async t => {
    for (const path of ['secret-failure', 'thrown-string', 'teapot', 'wrong-answer']) {
      lines.length = 0
      const answer = await app.inject({ url: `/api/v1/${path}`, headers })
      const { request_id } = isProblem(t, answer, 'internal_error')
      t.notMatch(answer.body, /hunter2|secret|stout|required/)
      t.match(lines.join(), request_id, `${path} is logged`)
    }
  })

  t.test('a database that is away is a 503 that says when to come back', async t => {
    const answer = await app.inject({ url: '/api/v1/away', headers })
    isProblem(t, answer, 'unavailable')
    t.match(answer.headers['retry-after'], /^\d+$/)
    t.notMatch(answer.body, /10\.1\.2\.3/)
  })

  t.test('members of a problem cannot be taken over, and what described the lost answer is gone', async t => {
    const answer = await post('/api/v1/conflict', {})
    t.match(isProblem(t, answer, 'conflict'), { existing: 'x', detail: 'There is one already.' })
    t.notOk(answer.headers.etag ?? answer.headers.location)
  })

  t.test('the type of every problem leads to its explanation', async t => {
    const page = await app.inject('/errors')
    t.match(page.headers['content-type'], 'text/html')
    for (const code of Object.keys(problems)) t.match(page.body, `id="${code}"`)
  })

  t.test('what is no HTTP gets a problem document on the raw connection', async t => {
    await app.listen({ port: 0, host: '127.0.0.1' })
    const address = app.server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const text = await talk(port, 'this is no http\r\n\r\n')
    t.match(text, /^HTTP\/1\.1 400 Bad Request\r\n/)
    t.match(text, /application\/problem\+json/)
    t.match(JSON.parse(text.split('\r\n\r\n')[1] ?? ''), { code: 'bad_request', status: 400 })
    const long = await talk(port, `GET / HTTP/1.1\r\nx: ${'a'.repeat(40_000)}\r\n\r\n`)
    t.match(long, /^HTTP\/1\.1 431 /)
  })
})

interface Document {
  detail: string
  request_id: string
  errors?: { path: string; code: string; message: string }[]
}

function isProblem(t: Test, answer: LightMyRequestResponse, code: keyof typeof problems): Document {
  const { status, title } = problems[code]
  t.equal(answer.statusCode, status)
  t.equal(answer.headers['content-type'], 'application/problem+json; charset=utf-8')
  t.equal(answer.headers['cache-control'], 'no-store')
  const document = answer.json<Document>()
  t.match(document, {
    type: `${publicUrl}/errors#${code}`,
    title,
    status,
    code,
    detail: String,
    request_id: /^req_/,
  })
  return document
}

function talk(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.setEncoding('utf8')
    socket.on('data', chunk => {
      answer += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })
}
