import { test } from 'tap'
import { z } from 'zod'
import { describe } from './toy-schemas.ts'

test('path, query and body become one flat object, optional where the route has it so', async t => {
  const { input } = await describe(
    {
      params: z.object({ id: z.string().describe('Which one') }),
      querystring: z.strictObject({ dry: z.coerce.boolean().optional() }),
      body: z.strictObject({ name: z.string().min(1).max(50), tags: z.array(z.string()).default([]) }),
    },
    { url: '/things/:id' },
  )
  t.same(input, {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'Which one' },
      dry: { type: 'boolean' },
      name: { type: 'string', minLength: 1, maxLength: 50 },
      tags: { type: 'array', items: { type: 'string' }, default: [] },
    },
    required: ['id', 'name'],
    additionalProperties: false,
  })
})

test('what has a default may be left out of what is sent, and is there in what comes back', async t => {
  const schema = z.object({ limit: z.int().min(1).default(20) })
  const { acceptsInput, acceptsOutput } = await describe({ body: schema, response: { 200: schema } })
  t.equal(acceptsInput({}), true)
  t.equal(acceptsOutput?.({}), false)
  t.equal(acceptsOutput?.({ limit: 1 }), true)
})

test('a transform describes what is sent before it', async t => {
  const { input, acceptsInput } = await describe({
    body: z.object({
      at: z.iso.datetime().transform(text => new Date(text)),
      list: z.preprocess(value => [value].flat(), z.array(z.string())),
      flag: z.stringbool(),
      amount: z.string().pipe(z.coerce.number()),
    }),
  })
  t.match(input.properties, { at: { type: 'string', format: 'date-time' }, flag: { type: 'string' } })
  t.equal(acceptsInput({ at: '2026-01-01T00:00:00Z', list: ['a'], flag: 'yes', amount: '1' }), true)
  t.equal(acceptsInput({ at: 'yesterday', list: ['a'], flag: 'yes', amount: '1' }), false)
})

test('known formats go without their patterns, others keep them', async t => {
  const { input } = await describe({
    body: z.object({
      at: z.iso.datetime(),
      day: z.iso.date(),
      mail: z.email(),
      id: z.uuid(),
      ip: z.ipv4(),
      own: z.string().regex(/^thing_[a-z]+$/),
    }),
  })
  t.same(input.properties, {
    at: { type: 'string', format: 'date-time' },
    day: { type: 'string', format: 'date' },
    mail: { type: 'string', format: 'email' },
    id: { type: 'string', format: 'uuid' },
    ip: { type: 'string', format: 'ipv4' },
    own: { type: 'string', pattern: '^thing_[a-z]+$' },
  })
})

test('integers carry the bounds that somebody wrote, and no others', async t => {
  const { input } = await describe({ body: z.object({ any: z.int(), some: z.int().min(1).max(9) }) })
  t.same(input.properties, { any: { type: 'integer' }, some: { type: 'integer', minimum: 1, maximum: 9 } })
})

test('nullable and nullish values are described as they are sent', async t => {
  const schema = z.object({
    a: z.string().nullable(),
    b: z.enum(['x', 'y']).nullable(),
    c: z.int().nullish(),
  })
  const { acceptsInput, acceptsOutput } = await describe({ body: schema, response: { 200: schema } })
  for (const accepts of [acceptsInput, acceptsOutput]) {
    t.equal(accepts?.({ a: null, b: null, c: null }), true)
    t.equal(accepts?.({ a: 'a', b: 'x' }), true)
    t.equal(accepts?.({ a: 1, b: 'x' }), false)
    t.equal(accepts?.({ a: 'a', b: 'z' }), false)
  }
})

test('a recursive schema is described by reference', async t => {
  const category = z.object({
    name: z.string(),
    get children() {
      return z.array(category)
    },
  })
  const { input, acceptsInput, acceptsOutput } = await describe({
    body: z.object({ root: category }),
    response: { 200: category },
  })
  t.ok(Object.keys(input.$defs ?? {}).length > 0)
  const tree = { name: 'a', children: [{ name: 'b', children: [] }] }
  const broken = { name: 'a', children: [{ name: 'b', children: [{ name: 7, children: [] }] }] }
  t.equal(acceptsInput({ root: tree }), true)
  t.equal(acceptsInput({ root: broken }), false)
  t.equal(acceptsOutput?.(tree), true)
  t.equal(acceptsOutput?.(broken), false)
})

test('a schema that is recursive at its root may be a body', async t => {
  const node: z.ZodType = z.object({ value: z.string(), next: z.lazy(() => node).optional() })
  const { acceptsInput } = await describe({ body: node })
  t.equal(acceptsInput({ value: 'a', next: { value: 'b', next: { value: 'c' } } }), true)
  t.equal(acceptsInput({ value: 'a', next: { value: 'b', next: { value: 1 } } }), false)
})

test('schemas with ids of their own are collected once', async t => {
  const money = z
    .object({ amount: z.int(), currency: z.string().length(3) })
    .meta({ id: 'MoneyOfTheZodTest' })
  const body = z.object({ price: money, fees: z.array(money), maybe: money.nullable() })
  const { input, acceptsInput } = await describe({ body })
  t.same(Object.keys(input.$defs ?? {}), ['MoneyOfTheZodTest'])
  t.notOk(JSON.stringify(input).includes('"id":'))
  const one = { amount: 1, currency: 'BRL' }
  t.equal(acceptsInput({ price: one, fees: [one], maybe: null }), true)
  t.equal(acceptsInput({ price: one, fees: [{ amount: 1 }], maybe: one }), false)
})

test('a union at the root of the arguments is offered as one object', async t => {
  const body = z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('mail'), to: z.string() }),
    z.strictObject({ kind: z.literal('hook'), url: z.url(), to: z.int().optional() }),
  ])
  const { input, acceptsInput } = await describe({ body })
  t.equal(input.type, 'object')
  t.notOk('oneOf' in input || 'anyOf' in input)
  t.same(input.required, ['kind'], 'what all of them need')
  t.same(Object.keys(input.properties ?? {}), ['kind', 'to', 'url'])
  t.equal(acceptsInput({ kind: 'mail', to: 'a' }), true)
  t.equal(acceptsInput({ kind: 'hook', url: 'https://a.test', to: 1 }), true)
  t.equal(acceptsInput({ kind: 'other' }), false)
})

test('an intersection is one object too', async t => {
  const body = z.intersection(z.object({ a: z.string() }), z.object({ b: z.string().optional() }))
  const { input } = await describe({ body })
  t.same(input, {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  })
})

test('tuples, records and maps of values are described', async t => {
  const { acceptsInput } = await describe({
    body: z.object({
      pair: z.tuple([z.string(), z.int()]),
      open: z.tuple([z.string()]).rest(z.int()),
      counts: z.record(z.string(), z.int()),
    }),
  })
  t.equal(acceptsInput({ pair: ['a', 1], open: ['a', 1, 2], counts: { x: 1 } }), true)
  t.equal(acceptsInput({ pair: [1, 'a'], open: ['a'], counts: {} }), false)
  t.equal(acceptsInput({ pair: ['a', 1], open: ['a', 'b'], counts: {} }), false)
  t.equal(acceptsInput({ pair: ['a', 1], open: ['a'], counts: { x: 'y' } }), false)
})

test('several answers that are objects are a choice among them; with another kind there is no schema', async t => {
  const one = z.object({ a: z.string() })
  const two = z.object({ b: z.int() })
  const { output, acceptsOutput } = await describe({ response: { 200: one, 201: two, 404: z.string() } })
  t.equal(output?.type, 'object')
  t.equal(acceptsOutput?.({ a: 'x' }), true)
  t.equal(acceptsOutput?.({ b: 1 }), true)
  t.equal(acceptsOutput?.({ b: 'x' }), false)
  for (const other of [
    z.array(one),
    z.string(),
    z.null(),
    one.nullable(),
    z.union([one, z.string()]),
    z.any(),
  ]) {
    t.equal((await describe({ response: { 200: one, 201: other } })).output, undefined)
  }
  t.equal((await describe({ response: { 200: one, 204: z.void() } })).output, undefined)
  t.equal((await describe({ response: { '2xx': one } })).output?.type, 'object')
})

test('a union of objects as an answer has the type that clients ask for at its root', async t => {
  const { output, acceptsOutput } = await describe({
    response: { 200: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]) },
  })
  t.equal(output?.type, 'object')
  t.equal(acceptsOutput?.({ b: 'x' }), true)
  t.equal(acceptsOutput?.({ c: 'x' }), false)
  const all = await describe({ response: { 200: z.intersection(z.object({ a: z.string() }), z.object({})) } })
  t.equal(all.output?.type, 'object')
})
