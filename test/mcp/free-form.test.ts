import type { FastifyInstance } from 'fastify'
import { validatorCompiler } from 'fastify-type-provider-zod'
import { test } from 'tap'
import { z } from 'zod'
import { call, legacy, readText } from './toy-client.ts'
import { createPlain } from './toy-plain.ts'
import { describe } from './toy-schemas.ts'
import { testBothWays } from './ways.ts'

/** A route that answers with the arguments of its body and query, validated as the schemas say. */
function echo(app: FastifyInstance, schema: object, { isZod = false, method = 'PUT' } = {}) {
  if (isZod) app.setValidatorCompiler(validatorCompiler)
  app.route({
    method,
    url: '/things/:id',
    schema: { operationId: 'echo', summary: 'Echo', response: { 200: { type: 'object' } }, ...schema },
    serializerCompiler: () => data => JSON.stringify(data),
    config: { scopes: [], mcp: { destructive: false } },
    handler: async ({ params, query, body }) => ({ params, query, body }),
  })
}

const text = { type: 'string' }
const at = { url: '/things/:id' }

test('what a body says of members that it does not name is listed beside the other places', async t => {
  const querystring = { type: 'object', properties: { dry: text }, additionalProperties: false }
  for (const [body, listed] of [
    [
      { type: 'object', additionalProperties: { type: 'integer' } },
      { additionalProperties: { type: 'integer' } },
    ],
    [{ type: 'object', properties: {}, additionalProperties: true }, { additionalProperties: true }],
    [{ type: 'object' }, { additionalProperties: true }],
    [{}, { additionalProperties: true }],
    [z.any(), { additionalProperties: true }],
    [z.record(z.string(), z.boolean()), { additionalProperties: { type: 'boolean' } }],
    [z.looseObject({}), { additionalProperties: {} }],
    [z.object({}).catchall(z.int()), { additionalProperties: { type: 'integer' } }],
    [
      z.looseRecord(z.string().regex(/^x-/), z.string()),
      { patternProperties: { '^x-': text }, additionalProperties: false },
    ],
    [
      { type: 'object', additionalProperties: text, propertyNames: { maxLength: 3 } },
      { additionalProperties: text, propertyNames: { anyOf: [{ enum: ['id', 'dry'] }, { maxLength: 3 }] } },
    ],
    [
      { type: 'object', additionalProperties: text, minProperties: 2, maxProperties: 5 },
      // `id` is always among the arguments, `dry` may be.
      { additionalProperties: text, minProperties: 3, maxProperties: 7 },
    ],
    [{ allOf: [{ type: 'object' }, { additionalProperties: text }] }, { additionalProperties: text }],
    [
      { anyOf: [{ additionalProperties: text }, { patternProperties: { '^n_': { type: 'integer' } } }] },
      { additionalProperties: { anyOf: [text, { type: 'integer' }] } },
    ],
  ] as const) {
    const { input } = await describe({ querystring, body }, at)
    const properties = { id: text, dry: text }
    t.same(input, { type: 'object', properties, required: ['id'], ...listed }, JSON.stringify(body))
  }
})

test('a body that names its members is closed, unless it says otherwise', async t => {
  for (const body of [
    { type: 'object', properties: { a: text } },
    { type: 'object', properties: { a: text }, anyOf: [{ required: ['a'] }] },
    { anyOf: [{ type: 'object', properties: { a: text } }, { type: 'null' }] },
    { type: 'object', properties: { a: text }, additionalProperties: false },
    z.object({ a: z.string() }),
    z.object({ a: z.string() }).nullish(),
    z.partialRecord(z.enum(['a']), z.string()),
  ]) {
    const { input } = await describe({ body })
    t.same(input.properties, { a: text }, JSON.stringify(body))
    t.equal(input.additionalProperties, false, JSON.stringify(body))
  }
  const bounded = { type: 'object', properties: { a: text, b: text }, minProperties: 1 }
  t.equal((await describe({ body: bounded }, at)).input.minProperties, 2)
})

test('what one choice names, another may take under the same name', async t => {
  const body = z.union([
    z.record(z.string(), z.string()),
    z.strictObject({ size: z.int(), unit: z.string() }),
  ])
  const { input, acceptsInput } = await describe({ body })
  t.equal(input.required, undefined)
  for (const args of [{ size: '1', color: 'red' }, { size: 1, unit: 'm' }, {}])
    t.equal(acceptsInput(args), true, JSON.stringify(args))
  t.equal(acceptsInput({ color: 1 }), false)
})

test('a pattern of the body does not hold for the arguments of other places', async t => {
  const { acceptsInput, input } = await describe(
    {
      querystring: { type: 'object', properties: { 'x_(1)': { type: 'integer' } } },
      body: { type: 'object', patternProperties: { '^x_|z$': { type: 'boolean' } } },
    },
    { url: '/things/:x_id' },
  )
  t.equal(acceptsInput({ x_id: 'a', 'x_(1)': 1, x_ida: true, az: false }), true, JSON.stringify(input))
  t.equal(acceptsInput({ x_id: 'a', x_ida: 1 }), false)
  t.equal(acceptsInput({ x_id: 'a', az: 1 }), false)
  t.equal(acceptsInput({ x_id: 'a', other: true }), false)
})

testBothWays('members that a body does not name reach it, and those of other places do not', async t => {
  const body = { type: 'object', minProperties: 1, additionalProperties: { type: 'string' } }
  const querystring = { type: 'object', properties: { dry: { type: 'boolean' } } }
  const { app } = await createPlain(t, { routes: app => echo(app, { body, querystring }) })
  const answer = await call(app, 'echo', { id: '1', dry: true, color: 'red', 'a b': 'c' })
  t.same(readText(answer), { params: { id: '1' }, query: { dry: true }, body: { color: 'red', 'a b': 'c' } })
  t.equal(
    (await call(app, 'echo', { id: '1', color: 7 })).json().result.isError,
    undefined,
    'ajv makes it a text',
  )
  t.match(readText(await call(app, 'echo', { id: '1', color: [{}] })).message, 'body/color must be string')
  t.match(readText(await call(app, 'echo', { id: '1' })).message, 'fewer than 1')
})

testBothWays('records and loose objects of zod take what they say', async t => {
  for (const body of [
    z.record(z.string(), z.int()),
    z.looseObject({ count: z.int() }),
    z.object({}).catchall(z.int()),
    z.any(),
  ]) {
    const { app } = await createPlain(t, { routes: app => echo(app, { body }, { isZod: true }) })
    t.same(readText(await call(app, 'echo', { id: '1', count: 3 })).body, { count: 3 })
    const { tools } = (await legacy(app, 'tools/list')).json().result
    const tool = tools.find(({ name }: { name: string }) => name === 'echo')
    t.not(tool.inputSchema.additionalProperties, false)
  }
})

testBothWays('where it is the query that takes further members, they go there', async t => {
  const querystring = z.record(z.string(), z.string())
  for (const [method, schema] of [
    ['GET', { querystring }],
    ['PUT', { querystring, body: z.object({ a: z.string() }) }],
  ] as const) {
    const { app } = await createPlain(t, { routes: app => echo(app, schema, { isZod: true, method }) })
    const answer = readText(await call(app, 'echo', { id: '1', a: 'x', b: 'y' }))
    t.equal(answer.query.b, 'y', method)
    t.same({ ...answer.query, ...answer.body }, { a: 'x', b: 'y' })
  }
})

test('the line that a search shows says that there may be more', async t => {
  const { app } = await createPlain(t, {
    mcp: { listing: 'search' },
    routes: app => echo(app, { body: { type: 'object', additionalProperties: { type: 'integer' } } }),
  })
  const found = (await call(app, 'search_tools', { query: 'echo' })).json().result.content[0].text
  t.match(found, 'id: string, [name]: integer')
})
