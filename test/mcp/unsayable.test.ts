import Fastify from 'fastify'
import { validatorCompiler } from 'fastify-type-provider-zod'
import { type Test, test } from 'tap'
import { z } from 'zod'
import { mcp } from '../../plugins/mcp/index.ts'
import { toyOptions } from './toy-notes.ts'

interface Line {
  readonly route: string
  readonly property: string
  readonly problem: string
  readonly remedy: string
}

interface Schemas {
  readonly querystring?: unknown
  readonly params?: unknown
}

/** What is said at boot about a tool with this query, and the status that REST answers each URL with. */
async function boot(
  t: Test,
  schemas: Schemas,
  urls: readonly string[] = [],
): Promise<{ readonly warnings: readonly Line[]; readonly statuses: readonly number[] }> {
  const warnings: Line[] = []
  const stream = { write: (line: string) => void warnings.push(JSON.parse(line)) }
  const app = Fastify({ logger: { level: 'warn', stream } })
  t.teardown(() => app.close())
  const isZod = Object.values(schemas).some(schema => schema instanceof z.ZodType)
  if (isZod) app.setValidatorCompiler(validatorCompiler)
  app.addSchema({ $id: 'range', type: 'object', properties: { from: { type: 'string' } } })
  await app.register(mcp, { ...toyOptions, permissions: undefined })
  app.get(
    '/things/:id',
    {
      schema: { operationId: 'things', summary: 'Things', response: { 204: {} }, ...schemas },
      serializerCompiler: () => () => '',
      config: { scopes: [], mcp: true },
    },
    async (_, reply) => reply.code(204).send(),
  )
  await app.ready()
  const statuses: number[] = []
  for (const url of urls) statuses.push((await app.inject(url)).statusCode)
  return { warnings, statuses }
}

const one = { text: z.string() }

test('an argument that no text satisfies is said at boot, with route, property and remedy', async t => {
  for (const [schema, value, remedy] of [
    [z.number(), '5', 'z.coerce.number()'],
    [z.int().min(1).optional(), '5', 'z.coerce.number()'],
    [
      z
        .number()
        .refine(() => true)
        .default(3),
      '5',
      'z.coerce.number()',
    ],
    [z.number().transform(String), '5', 'z.coerce.number()'],
    [z.boolean().nullish(), 'true', 'z.stringbool()'],
    [z.object(one).optional(), '{}', 'a property for each'],
    [z.record(z.string(), z.string()).optional(), '{}', 'a property for each'],
    [
      z.array(z.number()).optional(),
      '5',
      'z.preprocess(value => [value].flat(), z.array(z.coerce.number()))',
    ],
    [z.union([z.number(), z.boolean()]).optional(), '5', 'z.coerce.number()'],
    [z.literal([1, 2]).optional(), '1', 'texts'],
    [z.lazy(() => z.number()), '5', 'z.coerce.number()'],
    [z.intersection(z.any(), z.number()), '5', 'z.coerce.number()'],
  ] as const) {
    const url = `/things/1?a=${encodeURIComponent(value)}&text=x`
    const querystring = z.object({ ...one, a: schema })
    const { warnings, statuses } = await boot(t, { querystring }, [url])
    t.same(statuses, [400], 'and it is so over REST')
    t.match(warnings, [{ route: 'GET /things/:id', property: 'querystring.a' }])
    t.equal(warnings.length, 1)
    t.ok(warnings[0]?.remedy.includes(remedy), String(warnings[0]?.remedy))
  }
})

test('an argument that is not read as it is listed is said as well', async t => {
  const list = await boot(t, { querystring: z.object({ a: z.array(z.string()) }) }, [
    '/things/1?a=x',
    '/things/1?a=x&a=y',
  ])
  t.same(list.statuses, [400, 204])
  t.match(list.warnings, [
    { property: 'querystring.a', problem: /list of one/, remedy: /\[value\]\.flat\(\)/ },
  ])
  const flag = await boot(t, { querystring: z.object({ a: z.coerce.boolean() }) })
  t.match(flag.warnings, [{ property: 'querystring.a', problem: /"false"/, remedy: 'z.stringbool()' }])
})

test('a path holds texts as well', async t => {
  const { warnings, statuses } = await boot(t, { params: z.object({ id: z.int() }) }, ['/things/1'])
  t.same(statuses, [400])
  t.match(warnings, [{ property: 'params.id', remedy: 'z.coerce.number()' }])
})

test('what some text satisfies raises no alarm', async t => {
  const querystring = z.object({
    number: z.coerce.number().int().min(1).optional(),
    piped: z.string().transform(Number).pipe(z.number()).optional(),
    before: z.preprocess(Number, z.number()).optional(),
    list: z.preprocess(value => [value].flat(), z.array(z.string())).optional(),
    either: z.union([z.string(), z.array(z.string()), z.number()]).optional(),
    refined: z
      .string()
      .refine(text => text.length === 77)
      .optional(),
    word: z.enum(['a', '1']).or(z.literal('b')).optional(),
    mixed: z.literal([1, 'x']).optional(),
    format: z.email().or(z.uuid()).optional(),
    date: z.coerce.date().optional(),
    caught: z.number().catch(3),
    any: z.any(),
    flag: z.stringbool().optional(),
    never: z.never().optional(),
    template: z.templateLiteral(['a', z.number()]).optional(),
  })
  t.same((await boot(t, { querystring: querystring })).warnings, [])
  t.same(
    (await boot(t, { querystring: z.preprocess(() => ({ n: 1 }), z.object({ n: z.number() })) })).warnings,
    [],
  )
})

test('plain JSON Schema is coerced, but to no object', async t => {
  const properties = {
    number: { type: 'integer' },
    flag: { type: 'boolean' },
    list: { type: 'array', items: { type: 'integer' } },
    either: { anyOf: [{ type: 'string' }, { type: 'object' }] },
    any: {},
  }
  t.same((await boot(t, { querystring: { type: 'object', properties } })).warnings, [])
  for (const property of [{ type: 'object', nullable: true }, { $ref: 'range#' }]) {
    const querystring = { type: 'object', properties: { ...properties, range: property } }
    const { warnings, statuses } = await boot(t, { querystring }, ['/things/1?range=%7B%7D'])
    t.same(statuses, [400])
    t.match(warnings, [{ route: 'GET /things/:id', property: 'querystring.range' }])
  }
})
