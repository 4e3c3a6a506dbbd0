import type { FastifyInstance } from 'fastify'
import { test } from 'tap'
import { z } from 'zod'
import { call, legacy, modern, post, readText, textOf } from './toy-client.ts'
import { createNotes } from './toy-notes.ts'
import { createPlain } from './toy-plain.ts'

/** A route that answers what reached it, whatever its schemas say. */
function echo(app: FastifyInstance, method: string, { url, schema = {} }: { url: string; schema?: object }) {
  app.route({
    method,
    url,
    schema: { operationId: 'echo', summary: 'Echo', response: { 200: { type: 'object' } }, ...schema },
    validatorCompiler: () => value => ({ value }),
    serializerCompiler: () => data => JSON.stringify(data),
    config: { scopes: [], mcp: true },
    handler: async request => ({
      url: request.raw.url,
      params: request.params,
      query: request.query,
      body: request.body ?? null,
      headers: request.headers,
    }),
  })
}

const anything = { type: 'object', properties: { a: {}, b: {}, 'a b&c=d#?é': {} } }

test('path, query, body and headers each get their own arguments', async t => {
  const { app, reached } = await createNotes(t)
  await call(app, 'notes_list', { q: 'a', tag: ['x', 'y'], limit: 3 })
  await call(app, 'notes_update', { note_id: 'n 1/2', title: 'T', tags: ['x'], if_match: '"3"' })
  t.match(reached, [
    { route: 'notes_list', query: { q: 'a', tag: ['x', 'y'], limit: 3 } },
    { route: 'notes_update', params: { note_id: 'n 1/2' }, body: { title: 'T', tags: ['x'] } },
  ])
})

test('a list in the query repeats its key', async t => {
  const { app } = await createPlain(t, {
    routes: app => echo(app, 'GET', { url: '/echo', schema: { querystring: anything } }),
  })
  for (const [args, url] of [
    [{ a: ['x', 'y'] }, '/echo?a=x&a=y'],
    [{ a: ['x'] }, '/echo?a=x'],
    [{ a: [[1, 2], [3]] }, '/echo?a=%5B1%2C2%5D&a=%5B3%5D'],
    [{ a: true, b: 1.5 }, '/echo?a=true&b=1.5'],
    [{ a: '', b: 0 }, '/echo?a=&b=0'],
    [{ a: { x: [1] } }, '/echo?a=%7B%22x%22%3A%5B1%5D%7D'],
    [{ a: 'x&b=y#z?é+ %' }, '/echo?a=x%26b%3Dy%23z%3F%C3%A9%2B%20%25'],
    [{ 'a b&c=d#?é': 1 }, '/echo?a%20b%26c%3Dd%23%3F%C3%A9=1'],
    [{ a: '\ud800x' }, '/echo?a=%EF%BF%BDx'],
  ] as const) {
    t.equal(readText(await call(app, 'echo', args)).url, url)
  }
})

test('what a query cannot say is refused by name, and never left out', async t => {
  const { app } = await createPlain(t, {
    routes: app =>
      echo(app, 'GET', { url: '/echo', schema: { querystring: { ...anything, required: ['a'] } } }),
  })
  for (const a of [[], null, ['x', null]]) {
    const answer = await call(app, 'echo', { a })
    t.equal(answer.json().result.isError, true)
    t.match(readText(answer), { code: 'validation_failed', errors: [{ path: 'a' }] })
  }
})

test('a value that is nested without end is refused by name, after the rights', async t => {
  const { app, reached } = await createNotes(t)
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
  const send = (depth: number, as: string) => {
    // As text: printing it here would fail as well.
    const params = `{"name":"notes_create","arguments":{"title":"x","tags":${nested(depth)}}}`
    return post(app, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`, { as })
  }
  for (const depth of [300, 6_000, 100_000]) {
    t.match(readText(await send(depth, 'ana')), { code: 'validation_failed', errors: [{ path: 'tags' }] })
    t.match(readText(await send(depth, 'vera')), { code: 'forbidden' })
  }
  t.equal(reached.length, 0)
})

test('a list in the query of a plain schema is validated as a list', async t => {
  const { app } = await createPlain(t)
  const answer = await call(app, 'people_get', { name: 'Eva', fields: ['name', 'address'], deep: true })
  t.same(readText(answer), { params: { name: 'Eva' }, query: { fields: ['name', 'address'], deep: true } })
  const wrong = await call(app, 'people_get', { name: 'Eva', fields: ['name', 'age'] })
  t.equal(wrong.json().result.isError, true)
  t.match(textOf(wrong), 'fields/1')
})

test('a body is what it was in the message', async t => {
  const { app } = await createPlain(t, {
    routes: app => echo(app, 'POST', { url: '/echo', schema: { body: anything } }),
  })
  for (const args of [
    { a: { deep: [1, null, { x: 'é🙂' }] }, b: '' },
    { a: null },
    { a: 1e300, b: -0.5 },
    { 'a b&c=d#?é': [] },
    {},
  ]) {
    t.same(readText(await call(app, 'echo', args)).body, args)
  }
  t.same(readText(await call(app, 'echo')).body, {}, 'without arguments an empty object')
})

test('a route without a body gets none', async t => {
  const { app } = await createPlain(t, { routes: app => echo(app, 'POST', { url: '/echo' }) })
  const { body, headers } = readText(await call(app, 'echo'))
  t.equal(body, null)
  t.notOk(headers['content-type'])
})

test('DELETE may have declared members in its body', async t => {
  const { app } = await createPlain(t, {
    routes: app =>
      app.delete(
        '/echo/:id',
        {
          schema: {
            operationId: 'echo',
            summary: 'Echo',
            querystring: {
              type: 'object',
              properties: { q: { type: 'string' } },
              additionalProperties: false,
            },
            body: { type: 'object', properties: { why: { type: 'string' } } },
            response: { 200: { type: 'object', additionalProperties: true } },
          },
          config: { scopes: [], mcp: { destructive: false } },
        },
        async ({ params, query, body }) => ({ params, query, body }),
      ),
  })
  const answer = await call(app, 'echo', { id: '1', q: 'a', why: 'b' })
  t.same(readText(answer), { params: { id: '1' }, query: { q: 'a' }, body: { why: 'b' } })
  const refused = await call(app, 'echo', { id: '1', other: 1 })
  t.equal(refused.json().result.isError, true, 'what is not declared is sent to the query')
  t.match(textOf(refused), 'querystring must NOT have additional properties')
})

test('every inputSchema is a closed object, and an undeclared argument is refused by name', async t => {
  const { app, reached } = await createNotes(t)
  const { tools } = (await modern(app, 'tools/list')).json().result
  for (const { name, inputSchema } of tools) {
    t.equal(inputSchema.type, 'object', name)
    t.equal(inputSchema.additionalProperties, false, name)
    const args = Object.fromEntries((inputSchema.required ?? []).map((required: string) => [required, 'a']))
    for (const undeclared of ['zzz_undeclared', 'x-workspace-id', 'organization_id']) {
      const answer = await call(app, name, { ...args, [undeclared]: 'x' })
      t.equal(answer.statusCode, 200)
      t.equal(answer.json().result.isError, true, `${name} ${undeclared}`)
      t.match(textOf(answer), undeclared)
    }
  }
  t.same(reached, [])
})

test('where no schema could refuse an undeclared argument, the tool does', async t => {
  const { app } = await createPlain(t, {
    routes: app =>
      echo(app, 'POST', { url: '/echo/:id', schema: { querystring: { type: 'object', properties: {} } } }),
  })
  t.equal((await call(app, 'echo', { id: 'a' })).json().result.isError, undefined)
  const answer = await call(app, 'echo', { id: 'a', nonsense: 1 })
  t.equal(answer.json().result.isError, true)
  t.match(readText(answer), {
    code: 'validation_failed',
    status: 400,
    detail: 'nonsense is not an argument of this tool.',
    errors: [{ path: 'nonsense', code: 'unrecognized' }],
  })
  t.type(readText(answer).request_id, 'string')
})

test('arguments may be called like members of every object', async t => {
  const { app } = await createPlain(t, {
    routes: app =>
      echo(app, 'POST', {
        url: '/echo/:constructor',
        schema: {
          params: { type: 'object', properties: { constructor: { type: 'string', minLength: 1 } } },
          body: JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"toString":{}}}'),
        },
      }),
  })
  const { inputSchema } = (await modern(app, 'tools/list')).json().result.tools[0]
  t.same(Object.keys(inputSchema.properties).sort(), ['__proto__', 'constructor', 'toString'])
  t.same(inputSchema.properties.constructor, { type: 'string', minLength: 1 })
  t.same(inputSchema.required, ['constructor'])
  const answer = await call(app, 'echo', { constructor: 'a', toString: 'b' })
  t.match(readText(answer), { params: { constructor: 'a' }, body: { toString: 'b' } })
  t.equal(
    (await call(app, 'echo', {})).json().result.isError,
    true,
    'what every object inherits is no argument',
  )
  // Fastify refuses bodies that would reach for a prototype.
  const args = JSON.parse('{"constructor":"a","__proto__":"b"}')
  t.equal((await call(app, 'echo', args)).json().result.isError, true)
})

test('If-Match and Idempotency-Key are arguments where the route lists them, and no other header is', async t => {
  const { app } = await createNotes(t)
  const { tools } = (await modern(app, 'tools/list')).json().result
  const argumentsOf = (name: string) =>
    Object.keys(tools.find((tool: { name: string }) => tool.name === name).inputSchema.properties)
  t.ok(argumentsOf('notes_update').includes('if_match'))
  t.ok(argumentsOf('notes_create').includes('idempotency_key'))
  t.notOk(argumentsOf('notes_update').includes('idempotency_key'))
  t.notOk(argumentsOf('notes_update').some(name => name.includes('secret')))
  for (const { inputSchema } of tools) t.notOk(inputSchema.required?.includes('if_match'))

  const stale = await call(app, 'notes_update', { note_id: 'a', if_match: '"0"' })
  t.equal(readText(stale).code, 'code_412', 'the route got it')
  t.equal(
    (await call(app, 'notes_update', { note_id: 'a', if_match: '"1"' })).json().result.isError,
    undefined,
  )
  const secret = await call(app, 'notes_update', { note_id: 'a', 'x-secret': 'b' })
  t.equal(secret.json().result.isError, true)
})

test('headers reach the route as they were given, or not at all', async t => {
  const schema = {
    headers: z.object({
      'Idempotency-Key': z.string(),
      'if-match': z.string().optional(),
      constructor: z.any(),
    }),
  }
  const { app } = await createNotes(t, { routes: app => echo(app, 'POST', { url: '/echo', schema }) })
  const { headers } = readText(await call(app, 'echo', { idempotency_key: 'k 1', if_match: 'W/"2", "3"' }))
  t.match(headers, { 'idempotency-key': 'k 1', 'if-match': 'W/"2", "3"' })
  for (const value of ['a\r\nx-evil: 1', 'é', '\u0000', 7, null, ['a'], { a: 1 }, 'k'.repeat(1_001)]) {
    const answer = await call(app, 'echo', { idempotency_key: value })
    t.equal(answer.json().result.isError, true, JSON.stringify(value).slice(0, 30))
    t.match(readText(answer), { code: 'validation_failed', errors: [{ path: 'idempotency_key' }] })
  }
})

test('both eras send the same request', async t => {
  const { app } = await createPlain(t, {
    routes: app => echo(app, 'POST', { url: '/echo/:id', schema: { body: anything } }),
  })
  const args = { id: 'é/ü', a: [1], b: { c: null } }
  const one = readText(await call(app, 'echo', args))
  const other = readText(await legacy(app, 'tools/call', { name: 'echo', arguments: args }))
  t.same(other, one)
})
