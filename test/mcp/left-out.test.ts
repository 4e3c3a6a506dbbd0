import type { FastifyInstance } from 'fastify'
import { validatorCompiler } from 'fastify-type-provider-zod'
import { test } from 'tap'
import { z } from 'zod'
import { askFirst, attempt, codeOf, yes } from './confirmation-client.ts'
import { call, legacy, readText } from './toy-client.ts'
import { createPlain } from './toy-plain.ts'
import { describe } from './toy-schemas.ts'
import { testBothWays } from './ways.ts'

interface Route {
  readonly method?: string
  readonly schema: object
  readonly isZod?: boolean
  readonly mcp?: object | true
}

/** A route that answers with what reached it, validated as its schemas say. */
function echo(app: FastifyInstance, { method = 'PUT', schema, isZod = false, mcp = true }: Route) {
  if (isZod) app.setValidatorCompiler(validatorCompiler)
  app.route({
    method,
    url: '/things/:id',
    schema: { operationId: 'echo', summary: 'Echo', response: { 200: { type: 'object' } }, ...schema },
    serializerCompiler: () => data => JSON.stringify(data),
    config: { scopes: [], mcp },
    handler: async ({ query, headers }) => ({
      query,
      'if-match': headers['if-match'] ?? null,
      'idempotency-key': headers['idempotency-key'] ?? null,
    }),
  })
}

const text = { type: 'string' }
const needsVersion = { headers: { type: 'object', required: ['If-Match'], properties: { 'If-Match': text } } }

test('a header that the route requires is a required argument', async t => {
  const { input } = await describe(needsVersion, { url: '/things/:id' })
  t.same(input.required, ['id', 'if_match'])
  const headers = z.object({
    'idempotency-key': z.string(),
    'if-match': z.string().optional(),
    host: z.string(),
  })
  t.same((await describe({ headers })).input.required, ['idempotency_key'])
})

testBothWays('a required header that is not given is refused by the name of its argument', async t => {
  const { app } = await createPlain(t, { routes: app => echo(app, { schema: needsVersion }) })
  for (const args of [{ id: '1' }, { id: '1', if_match: null }]) {
    const answer = await call(app, 'echo', args)
    t.equal(answer.json().result.isError, true)
    t.match(readText(answer), { code: 'validation_failed', errors: [{ path: 'if_match' }] })
  }
  t.equal(readText(await call(app, 'echo', { id: '1', if_match: '"1"' }))['if-match'], '"1"')
})

testBothWays('headers that a confirmation sends by itself are asked of nobody', async t => {
  const headers = {
    type: 'object',
    required: ['if-match', 'idempotency-key'],
    properties: { 'if-match': text, 'idempotency-key': text },
  }
  const { app } = await createPlain(t, {
    mcp: { confirmation: { keys: ['k'.repeat(32)] } },
    routes: app => {
      echo(app, { method: 'DELETE', schema: { headers }, mcp: { preview: 'shown' } })
      app.get(
        '/things/:id',
        {
          schema: { operationId: 'shown', summary: 'Show', response: { 200: { type: 'object' } } },
          config: { scopes: [], mcp: true },
        },
        async (_, reply) => reply.header('etag', '"7"').send({}),
      )
    },
  })
  const { tools } = (await legacy(app, 'tools/list')).json().result
  t.same(tools.find(({ name }: { name: string }) => name === 'echo').inputSchema.required, ['id'])
  const options = { name: 'echo', args: { id: '1' } }
  const { state } = await askFirst(app, options)
  const done = readText(await attempt(app, { ...options, state, responses: yes }))
  t.equal(done['if-match'], '"7"')
  t.match(done['idempotency-key'], /^[\w-]{8,}$/)
  const old = await legacy(app, 'tools/call', { name: 'echo', arguments: { id: '1' } })
  t.equal(codeOf(old), 'confirmation_required', 'and its arguments are right')
})

testBothWays('without a preview a destructive tool needs the version that its route requires', async t => {
  const { app } = await createPlain(t, {
    mcp: { confirmation: { keys: ['k'.repeat(32)] } },
    routes: app => echo(app, { method: 'DELETE', schema: needsVersion }),
  })
  t.equal(codeOf(await attempt(app, { name: 'echo', args: { id: '1' } })), 'validation_failed')
  t.equal(codeOf(await attempt(app, { name: 'echo', args: { id: '1', if_match: '"1"' } })), 'asked')
})

test('null is not listed where a request cannot say it', async t => {
  const querystring = z.object({
    a: z.string().nullish(),
    b: z.enum(['x', 'y']).nullable().default(null),
    c: z.array(z.string().nullable()).nullish(),
    d: z.union([z.int(), z.iso.date(), z.null()]),
    e: z.literal(['u', null]).optional(),
  })
  const { input } = await describe({ querystring, headers: z.object({ 'if-match': z.string().nullish() }) })
  t.same(input.properties, {
    a: text,
    b: { type: 'string', enum: ['x', 'y'] },
    c: { type: 'array', items: text },
    d: { anyOf: [{ type: 'integer' }, { type: 'string', format: 'date' }] },
    e: { enum: ['u'] },
    if_match: text,
  })
  const shared = [{ $id: 'maybe', type: 'string', maxLength: 3, nullable: true }]
  const reference = { type: 'object', properties: { a: { $ref: 'maybe#' } } }
  const both = await describe(
    { querystring: reference, body: { type: 'object', properties: { b: { $ref: 'maybe#' } } } },
    { shared },
  )
  t.equal(both.acceptsInput({ a: 'x', b: null }), true, 'a body can')
  t.equal(both.acceptsInput({ a: null }), false)
  t.equal(both.acceptsInput({ a: 'long' }), false)
})

testBothWays('null for an optional argument of query or headers leaves it out', async t => {
  const querystring = z.object({ a: z.string().nullish(), b: z.coerce.number().default(3) })
  const headers = z.looseObject({ 'if-match': z.string().optional() })
  const { app } = await createPlain(t, {
    routes: app => echo(app, { method: 'GET', schema: { querystring, headers }, isZod: true }),
  })
  const answer = await call(app, 'echo', { id: '1', a: null, b: null, if_match: null })
  t.match(readText(answer), { query: { b: 3 }, 'if-match': null })
  t.same(Object.keys(readText(answer).query), ['b'])
})

testBothWays('null for what is required, undeclared, or in the path is refused by name', async t => {
  const querystring = z.strictObject({ a: z.string().nullable() })
  const { app } = await createPlain(t, {
    routes: app => echo(app, { method: 'GET', schema: { querystring }, isZod: true }),
  })
  for (const [args, path] of [
    [{ id: '1', a: null }, 'a'],
    [{ id: '1', a: 'x', zzz: null }, 'zzz'],
    [{ id: null, a: 'x' }, 'id'],
  ] as const) {
    const answer = await call(app, 'echo', args)
    t.equal(answer.json().result.isError, true)
    t.match(readText(answer), { code: 'validation_failed', errors: [{ path }] })
  }
})
