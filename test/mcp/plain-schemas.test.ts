import { test } from 'tap'
import { call, modern, readText } from './toy-client.ts'
import { createPlain } from './toy-plain.ts'
import { describe } from './toy-schemas.ts'

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })

const person = {
  $id: 'person',
  $schema: 'http://json-schema.org/draft-07/schema#',
  ...object({ name: { type: 'string' }, friends: { type: 'array', items: { $ref: 'person#' } } }),
  required: ['name'],
  definitions: { tag: { type: 'string', maxLength: 3 }, 'a/b~c d': { type: 'integer' } },
}

test('shared schemas are taken in, however deep they refer to each other', async t => {
  const { app } = await createPlain(t)
  const { tools } = (await modern(app, 'tools/list')).json().result
  const add = tools.find(({ name }: { name: string }) => name === 'people_add')
  t.same(Object.keys(add.inputSchema.properties), ['name', 'nickname', 'address', 'friends'])
  t.same(add.inputSchema.required, ['name'])
  t.same(add.inputSchema.properties.nickname, { type: ['string', 'null'] })
  t.notMatch(JSON.stringify(tools), /"\$id"|person#|definitions"/)

  const args = {
    name: 'Eva',
    nickname: null,
    address: { street: 'A', country: 'br' },
    friends: [{ name: 'Leo', friends: [{ name: 'Ana' }] }],
  }
  t.same(readText(await call(app, 'people_add', args)), { data: args })
  const wrong = await call(app, 'people_add', { ...args, friends: [{ name: 'Leo', age: 7 }] })
  t.equal(wrong.json().result.isError, true)
})

test('what stands in tools/list accepts and refuses what the route does', async t => {
  const { acceptsInput, acceptsOutput } = await describe(
    {
      body: { $ref: 'person#' },
      response: { 200: object({ data: { $ref: 'person#' } }, { required: ['data'] }) },
    },
    { shared: [person] },
  )
  const friends = [{ name: 'Leo', friends: [{ name: 'Ana' }] }]
  t.equal(acceptsInput({ name: 'Eva', friends }), true)
  t.equal(acceptsInput({ friends }), false)
  t.equal(acceptsInput({ name: 'Eva', friends: [{ name: 7 }] }), false)
  t.equal(acceptsOutput?.({ data: { name: 'Eva', friends } }), true)
  t.equal(acceptsOutput?.({ data: { friends } }), false)
})

test('references lead into definitions, with every escape there is', async t => {
  const body = object({
    tag: { $ref: 'person#/definitions/tag' },
    other: { $ref: 'person#/definitions/tag', description: 'The other one' },
    odd: { $ref: 'person#/definitions/a~1b~0c%20d' },
    local: { $ref: '#/definitions/local' },
    itself: { $ref: '#/properties/local' },
    listed: { $ref: '#/definitions/list/0' },
  })
  const definitions = { local: { enum: [1, 2] }, list: [{ type: 'null' }] }
  const { input, acceptsInput } = await describe({ body: { ...body, definitions } }, { shared: [person] })
  t.equal(acceptsInput({ tag: 'abc', other: 'x', odd: 1, local: 2, itself: 1, listed: null }), true)
  for (const args of [
    { tag: 'abcd' },
    { other: 'abcd' },
    { odd: 'x' },
    { local: 3 },
    { itself: 3 },
    { listed: 0 },
  ])
    t.equal(acceptsInput(args), false, JSON.stringify(args))
  t.match(input.properties, { other: { description: 'The other one' } })
})

test('definitions of one name in several schemas stay apart', async t => {
  const part = (type: string) => ({
    ...object({ [type]: { $ref: '#/definitions/value' } }),
    definitions: { value: { type } },
  })
  const { input, acceptsInput } = await describe({ querystring: part('integer'), body: part('string') })
  t.same(Object.keys(input.$defs ?? {}), ['value', 'value2'])
  t.equal(acceptsInput({ integer: 1, string: 'a' }), true)
  t.equal(acceptsInput({ integer: 'a' }), false)
  t.equal(acceptsInput({ string: 1 }), false)
})

test('a schema may refer to itself by its own id, or by none', async t => {
  for (const reference of ['tree', 'tree#', '#']) {
    const tree = { $id: 'tree', ...object({ leaf: { type: 'string' }, branch: { $ref: reference } }) }
    const { acceptsInput } = await describe({ body: tree })
    t.equal(acceptsInput({ branch: { branch: { leaf: 'a' } } }), true, reference)
    t.equal(acceptsInput({ branch: { branch: { leaf: 1 } } }), false, reference)
  }
})

test('nullable values of OpenAPI become what is really sent', async t => {
  const schema = object(
    {
      text: { type: 'string', nullable: true },
      choice: { type: 'string', enum: ['a', 'b'], nullable: true },
      known: { type: 'string', enum: ['a', null], nullable: true },
      one: { type: 'string', const: 'a', nullable: true },
      any: { anyOf: [{ type: 'string' }, { type: 'integer' }], nullable: true },
      person: { $ref: 'person#', nullable: true },
      pair: { type: 'array', items: [{ type: 'string' }], nullable: true },
      no: { type: 'string', nullable: false },
    },
    { additionalProperties: false },
  )
  const { acceptsInput, acceptsOutput } = await describe(
    { body: schema, response: { 200: schema } },
    { shared: [person] },
  )
  for (const accepts of [acceptsInput, acceptsOutput]) {
    const nulls = { text: null, choice: null, known: null, one: null, any: null, person: null, pair: null }
    t.equal(accepts?.(nulls), true, JSON.stringify(accepts?.errors))
    t.equal(
      accepts?.({ text: 'a', choice: 'b', known: 'a', one: 'a', any: 1, person: { name: 'a' }, pair: ['a'] }),
      true,
    )
    for (const wrong of [
      { no: null },
      { choice: 'c' },
      { one: 'b' },
      { any: [] },
      { person: {} },
      { pair: [1] },
    ])
      t.equal(accepts?.(wrong), false, JSON.stringify(wrong))
  }
})

test('tuples of older drafts become those of 2020-12', async t => {
  const { input, acceptsInput } = await describe({
    body: object({
      closed: { type: 'array', items: [{ type: 'string' }, { type: 'integer' }], additionalItems: false },
      typed: { type: 'array', items: [{ type: 'string' }], additionalItems: { type: 'integer' } },
      open: { type: 'array', items: [{ type: 'string' }] },
      plain: { type: 'array', items: { type: 'string' } },
    }),
  })
  t.notMatch(JSON.stringify(input), 'additionalItems')
  t.equal(acceptsInput({ closed: ['a', 1], typed: ['a', 1, 2], open: ['a', {}], plain: ['a'] }), true)
  for (const args of [{ closed: ['a', 1, 2] }, { typed: ['a', 'b'] }, { open: [1] }, { plain: [1] }])
    t.equal(acceptsInput(args), false, JSON.stringify(args))
})

test('keywords whose value is data are left as they are, and properties may be called like keywords', async t => {
  const value = { $ref: 'nowhere#', nullable: true, definitions: { a: 1 }, $id: 'x' }
  const body = object({
    a: { const: value },
    b: { default: value, examples: [value] },
    c: { enum: [value, [value]] },
    $ref: { type: 'string' },
    definitions: { type: 'object', properties: { properties: { type: 'string', nullable: true } } },
    nullable: { type: 'boolean' },
    id: { type: 'string' },
    enum: { type: 'integer' },
  })
  const { input, acceptsInput } = await describe({ body })
  t.match(input.properties, {
    a: { const: value },
    b: { default: value, examples: [value] },
    c: { enum: [value] },
  })
  const args = { $ref: 'a', definitions: { properties: null }, nullable: true, id: 'a', enum: 1, a: value }
  t.equal(acceptsInput(args), true, JSON.stringify(acceptsInput.errors))
  t.equal(acceptsInput({ nullable: 1 }), false)
  t.equal(acceptsInput({ definitions: { properties: 1 } }), false)
})

test('conditions and patterns inside an argument are kept', async t => {
  const { acceptsInput } = await describe({
    body: object({
      a: {
        ...object({ kind: { type: 'string' } }),
        if: { properties: { kind: { const: 'x' } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema; nothing awaits this object
        then: { required: ['size'] },
        patternProperties: { '^n_': { type: 'integer' } },
        propertyNames: { maxLength: 6 },
        dependentRequired: { size: ['unit'] },
        not: { required: ['never'] },
      },
      email: { type: 'string', format: 'email', pattern: '@acme\\.test$' },
    }),
  })
  t.equal(acceptsInput({ a: { kind: 'x', size: 1, unit: 'm', n_a: 1 }, email: 'a@acme.test' }), true)
  for (const args of [
    { a: { kind: 'x' } },
    { a: { kind: 'y', size: 1 } },
    { a: { kind: 'y', n_a: 'x' } },
    { a: { kind: 'y', muchtoolong: 1 } },
    { a: { kind: 'y', never: 1 } },
    { email: 'a@globex.test' },
  ])
    t.equal(acceptsInput(args), false, JSON.stringify(args))
})

test('a body that is a choice of objects is one object; names that all of them need are needed', async t => {
  const variants = [
    object({ kind: { const: 'a' }, id: { type: 'string' } }, { required: ['kind', 'id'] }),
    object(
      { kind: { const: 'b' }, id: { type: 'string' }, size: { type: 'integer' } },
      { required: ['kind'] },
    ),
  ]
  for (const body of [{ oneOf: variants }, { anyOf: variants }, { type: 'object', oneOf: variants }]) {
    const { input } = await describe({ body })
    t.same(input, {
      type: 'object',
      properties: {
        kind: { anyOf: [{ const: 'a' }, { const: 'b' }] },
        id: { type: 'string' },
        size: { type: 'integer' },
      },
      required: ['kind'],
      additionalProperties: false,
    })
  }
  const all = await describe({ body: { allOf: [variants[0], object({ more: {} }, { required: ['more'] })] } })
  t.same(all.input.required, ['kind', 'id', 'more'])
  const optional = await describe({ body: { type: ['object', 'null'], properties: { a: {} } } })
  t.same(optional.input.properties, { a: {} })
})

test('an answer is an object by reference, by choice and by composition', async t => {
  const shared = [person]
  for (const [answer, isObject] of [
    [{ $ref: 'person#' }, true],
    [{ anyOf: [{ $ref: 'person#' }, object({})] }, true],
    [{ oneOf: [{ $ref: 'person#' }, { type: 'string' }] }, false],
    [{ allOf: [{ $ref: 'person#' }, { required: ['friends'] }] }, true],
    [{ allOf: [{ required: ['friends'] }] }, false],
    [{ $ref: 'person#/definitions/tag' }, false],
    [{ type: ['object', 'null'] }, false],
    [{ type: 'array', items: {} }, false],
    [{}, false],
    [{ type: 'null' }, false],
    [{ $ref: '#' }, false],
  ] as const) {
    const { output } = await describe({ response: { 200: answer } }, { shared })
    t.equal(output !== undefined, isObject, JSON.stringify(answer))
    if (isObject) t.equal(output?.type, 'object', JSON.stringify(answer))
  }
})

test('media types of an answer are looked at where Fastify has them', async t => {
  const content = { 'application/json': { schema: object({ a: { type: 'string' } }) } }
  const { output } = await describe({ response: { 200: { content } } })
  t.match(output, { type: 'object', properties: { a: { type: 'string' } } })
  const body = await describe({ body: { content } })
  t.same(body.input.properties, { a: { type: 'string' } })
})
