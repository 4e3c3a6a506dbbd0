import type { FastifyInstance } from 'fastify'
import { test } from 'tap'
import { z } from 'zod'
import { call, type Headers, legacy, textOf } from './toy-client.ts'
import { createNotes, type Toy } from './toy-notes.ts'
import { createPlain } from './toy-plain.ts'

const zodBody = z.object({
  region: z.string().optional().meta({ 'x-mcp-header': 'Region' }),
  limit: z.int().optional().meta({ 'x-mcp-header': 'Limit' }),
  dry: z.boolean().optional().meta({ 'x-mcp-header': 'Dry-Run' }),
  target: z.object({ zone: z.string().optional().meta({ 'x-mcp-header': 'Zone' }) }).optional(),
})

function queries(app: FastifyInstance, body: unknown): void {
  app.post(
    '/queries',
    {
      schema: { operationId: 'run', summary: 'Run a query', body, response: { 200: { type: 'object' } } },
      config: { scopes: [], mcp: { readOnly: true } },
      serializerCompiler: () => data => JSON.stringify(data),
      // Takes everything: what is compared here are headers, before any validation.
      validatorCompiler: () => value => ({ value }),
    },
    async request => request.body,
  )
}

async function createQueries(t: Parameters<typeof createNotes>[0]): Promise<Toy> {
  return createNotes(t, { routes: app => queries(app, zodBody) })
}

/** `agrees`, or the message of the -32020. */
async function compare({ app }: Pick<Toy, 'app'>, args: unknown, headers: Headers): Promise<string> {
  const answer = await call(app, 'run', args, { headers })
  const { error, result } = answer.json()
  if (result) return result.isError ? 'refused' : 'agrees'
  return `${answer.statusCode} ${error.code} ${error.message}`
}

test('a parameter that is mirrored has to stand in its header', async t => {
  const toy = await createQueries(t)
  t.equal(await compare(toy, { region: 'eu' }, { 'mcp-param-region': 'eu' }), 'agrees')
  t.equal(await compare(toy, { region: 'eu' }, { 'MCP-Param-REGION': ' eu ' }), 'agrees')
  t.match(
    await compare(toy, { region: 'eu' }, {}),
    /^400 -32020 Header mismatch: Mcp-Param-region.*missing.*eu/,
  )
  t.match(
    await compare(toy, { region: 'eu' }, { 'mcp-param-region': 'us' }),
    /^400 -32020 Header mismatch: Mcp-Param-region header value 'us' does not match body value 'eu'/,
  )
  t.match(await compare(toy, { region: 'eu' }, { 'mcp-param-region': 'EU' }), /^400 -32020/)
  t.match(await compare(toy, { region: 'eu' }, { 'mcp-param-region': ['eu', 'eu'] }), /^400 -32020/)
})

test('a null or absent argument has no header, and a header without its argument is a mismatch', async t => {
  const toy = await createQueries(t)
  for (const args of [undefined, {}, { region: null, limit: null, target: null }, { target: {} }]) {
    t.equal(await compare(toy, args, {}), 'agrees', JSON.stringify(args))
    t.match(await compare(toy, args, { 'mcp-param-region': 'eu' }), /^400 -32020.*no such value/)
    t.match(await compare(toy, args, { 'mcp-param-limit': '5' }), /^400 -32020.*no such value/)
    t.match(await compare(toy, args, { 'mcp-param-zone': 'a' }), /^400 -32020.*no such value/)
  }
})

test('text that is no plain ASCII is encoded', async t => {
  const toy = await createQueries(t)
  const encode = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`
  for (const region of ['São Paulo', ' eu ', 'a\nb', '=?base64?ZXU=?=', '', '🙂']) {
    t.equal(await compare(toy, { region }, { 'mcp-param-region': encode(region) }), 'agrees', region)
  }
  t.match(await compare(toy, { region: 'é' }, { 'mcp-param-region': 'é' }), /^400 -32020.*malformed/)
  t.match(
    await compare(toy, { region: 'eu' }, { 'mcp-param-region': '=?base64?ZXU?=' }),
    /^400 -32020.*malformed/,
  )
  t.match(await compare(toy, { region: ' eu' }, { 'mcp-param-region': ' eu' }), /^400 -32020/)
})

test('integers are compared as numbers, everything else as text', async t => {
  const toy = await createQueries(t)
  for (const [limit, header] of [
    [42, '42'],
    [42, '42.0'],
    [42, '042'],
    [-7, '-7.000'],
    [0, '0'],
    [0, '-0'],
    [1.5, '1.5'],
  ] as const) {
    t.equal(await compare(toy, { limit }, { 'mcp-param-limit': header }), 'agrees', `${limit} ${header}`)
  }
  for (const [limit, header] of [
    [42, '43'],
    [42, '42.5'],
    [42, '4.2e1'],
    [42, '0x2a'],
    [42, '+42'],
    [42, ''],
    [42, 'NaN'],
    [1000, '1e3'],
    ['42', '42.0'],
    [true, '1'],
  ] as const) {
    t.match(await compare(toy, { limit }, { 'mcp-param-limit': header }), /^400 -32020/, `${limit} ${header}`)
  }
  t.equal(await compare(toy, { dry: true }, { 'mcp-param-dry-run': 'true' }), 'agrees')
  t.equal(await compare(toy, { dry: false }, { 'mcp-param-dry-run': 'false' }), 'agrees')
  t.match(await compare(toy, { dry: true }, { 'mcp-param-dry-run': 'True' }), /^400 -32020/)
  t.match(await compare(toy, { dry: true }, { 'mcp-param-dry-run': '1' }), /^400 -32020/)
})

test('what has no header form is left to the validation of the route', async t => {
  const toy = await createQueries(t)
  for (const limit of [[1], { a: 1 }, 9_007_199_254_740_992]) {
    t.equal(await compare(toy, { limit }, {}), 'agrees', JSON.stringify(limit))
  }
})

test('a parameter inside an object is found by its path', async t => {
  const toy = await createQueries(t)
  t.equal(await compare(toy, { target: { zone: 'a' } }, { 'mcp-param-zone': 'a' }), 'agrees')
  t.match(await compare(toy, { target: { zone: 'a' } }, { 'mcp-param-zone': 'b' }), /^400 -32020/)
  t.match(await compare(toy, { target: { zone: 'a' } }, {}), /^400 -32020.*missing/)
  t.equal(await compare(toy, { zone: 'a' }, {}), 'agrees', 'elsewhere it is not that parameter')
  t.equal(await compare(toy, { target: 'zone' }, {}), 'agrees')
})

test('plain JSON Schema is annotated in the same way', async t => {
  const body = {
    type: 'object',
    properties: { limit: { type: 'integer', 'x-mcp-header': 'Limit' }, 'x-mcp-header': { type: 'string' } },
  }
  const toy = await createPlain(t, { routes: app => queries(app, body) })
  t.equal(await compare(toy, { limit: 1 }, { 'mcp-param-limit': '1.0' }), 'agrees')
  t.match(await compare(toy, { limit: 1 }, {}), /^400 -32020/)
  t.equal(await compare(toy, { 'x-mcp-header': 'a' }, {}), 'agrees', 'a property may be called like that')
})

test('the annotation stands in the inputSchema, and other headers of the kind mean nothing', async t => {
  const toy = await createQueries(t)
  const { tools } = (await legacy(toy.app, 'tools/list')).json().result
  const tool = tools.find(({ name }: { name: string }) => name === 'run')
  t.equal(tool.inputSchema.properties.region['x-mcp-header'], 'Region')
  t.equal(tool.inputSchema.properties.target.properties.zone['x-mcp-header'], 'Zone')
  t.equal(await compare(toy, {}, { 'mcp-param-other': 'x' }), 'agrees')
  const other = await call(toy.app, 'notes_list', {}, { headers: { 'mcp-param-region': 'eu' } })
  t.ok(other.json().result, 'another tool has no such parameter')
})

test('2025 has no such headers', async t => {
  const toy = await createQueries(t)
  const answer = await legacy(toy.app, 'tools/call', { name: 'run', arguments: { region: 'eu' } })
  t.same(JSON.parse(textOf(answer)), { region: 'eu' })
})
