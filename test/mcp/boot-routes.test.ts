import Fastify, { type FastifyInstance, type RouteOptions } from 'fastify'
import { test } from 'tap'
import { z } from 'zod'
import { bootErrors, McpBootError, mcp } from '../../plugins/mcp/index.ts'
import { toyOptions } from './toy-notes.ts'

const tenant = {
  name: 'tenant',
  storage: () => {
    const handlers = new Map()
    return { get: (key: string) => handlers.get(key) ?? null, set: handlers.set.bind(handlers) }
  },
  validate: () => true,
  deriveConstraint: ({ headers }: { headers: Readonly<Record<string, unknown>> }) => headers['x-tenant'],
  mustMatchWhenDerived: false,
}

/** The error with which a boot with these routes stops; null when it does not. */
async function boot(routes: (app: FastifyInstance) => unknown): Promise<McpBootError | null> {
  const app = Fastify({ ajv: { customOptions: { strict: false } } })
  app.addConstraintStrategy(tenant)
  try {
    await app.register(mcp, toyOptions)
    // zod schemas stand beside plain ones here; nothing is ever validated.
    app.setValidatorCompiler(() => () => true)
    app.setSerializerCompiler(() => () => '')
    await routes(app)
    await app.ready()
    return null
  } catch (error) {
    if (error instanceof McpBootError) return error
    throw error
  } finally {
    await app.close()
  }
}

interface Change {
  readonly method?: RouteOptions['method']
  readonly url?: string
  readonly schema?: object
  readonly config?: object
  readonly constraints?: RouteOptions['constraints']
}

/** One exposed route that is right, but for the change. */
function bootWith({
  method = 'POST',
  url = '/things/:id',
  schema = {},
  config = {},
  constraints = {},
}: Change) {
  const good = { operationId: 'things_do', summary: 'Do things', response: { 200: { type: 'object' } } }
  return boot(app =>
    app.route({
      method,
      url,
      constraints,
      schema: { ...good, ...schema },
      config: { scopes: ['things:write'], mcp: true, ...config },
      handler: async () => ({}),
    }),
  )
}

const object = (properties: object) => ({ type: 'object', properties })
const file = { type: 'string', format: 'binary' }
const mirrored = (header: unknown, type: unknown = 'string') => ({ type, 'x-mcp-header': header })

const wrong: readonly (readonly [keyof typeof bootErrors, string, Change])[] = [
  ['MCP_ERR_ROUTE_NAME', '', { schema: { operationId: undefined } }],
  ['MCP_ERR_ROUTE_NAME', '', { schema: { operationId: ' ' } }],
  ['MCP_ERR_ROUTE_NAME', 'do things', { schema: { operationId: 'do things' } }],
  ['MCP_ERR_ROUTE_NAME', 'fazer_ação', { schema: { operationId: 'fazer_ação' } }],
  ['MCP_ERR_ROUTE_NAME', 'n'.repeat(65), { schema: { operationId: 'n'.repeat(65) } }],
  ['MCP_ERR_ROUTE_NAME', 'a/b', { config: { mcp: { name: 'a/b' } } }],
  ['MCP_ERR_ROUTE_NAME', '', { config: { mcp: { name: '' } } }],
  ['MCP_ERR_ROUTE_SUMMARY', '', { schema: { summary: undefined } }],
  ['MCP_ERR_ROUTE_SUMMARY', '', { schema: { summary: '' } }],
  ['MCP_ERR_ROUTE_SUMMARY', '', { schema: { summary: 7 } }],
  ['MCP_ERR_ROUTE_SCOPES', '', { config: { scopes: undefined } }],
  ['MCP_ERR_ROUTE_SCOPES', '', { config: { scopes: 'things:write' } }],
  ['MCP_ERR_ROUTE_SCOPES', 'word', { config: { scopes: ['two words'] } }],
  ['MCP_ERR_ROUTE_SCOPES', 'word', { config: { scopes: ['a"b'] } }],
  ['MCP_ERR_ROUTE_SCOPES', 'word', { config: { scopes: [7] } }],
  ['MCP_ERR_ROUTE_RESPONSE', '', { schema: { response: undefined } }],
  ['MCP_ERR_ROUTE_RESPONSE', '', { schema: { response: {} } }],
  ['MCP_ERR_ROUTE_RESPONSE', '', { schema: { response: { 404: {}, 302: {}, default: {} } } }],
  ['MCP_ERR_ROUTE_METHOD', '', { method: ['POST', 'PUT'] }],
  ['MCP_ERR_ROUTE_METHOD', '', { method: ['GET', 'HEAD', 'DELETE'] }],
  ['MCP_ERR_ROUTE_METHOD', '', { method: 'OPTIONS' }],
  ['MCP_ERR_ROUTE_URL', 'wildcard', { url: '/files/*' }],
  ['MCP_ERR_ROUTE_URL', ':from-:to', { url: '/ranges/:from-:to' }],
  ['MCP_ERR_ROUTE_URL', ':id.json', { url: '/things/:id.json' }],
  ['MCP_ERR_ROUTE_URL', ':id(', { url: '/things/:id(^\\d+$)' }],
  ['MCP_ERR_ROUTE_URL', ':id?', { url: '/things/:id?' }],
  // For Fastify one parameter, of the name `id::cancel`.
  ['MCP_ERR_ROUTE_URL', ':id::cancel', { url: '/things/:id::cancel' }],
  ['MCP_ERR_ROUTE_URL', ':::id', { url: '/things/:::id' }],
  ['MCP_ERR_ROUTE_URL', 'a::b:id', { url: '/things/a::b:id' }],
  ['MCP_ERR_ROUTE_URL', 'v:id', { url: '/things/v:id' }],
  ['MCP_ERR_ROUTE_CONSTRAINT', 'host', { constraints: { host: /^api/ } }],
  ['MCP_ERR_ROUTE_CONSTRAINT', 'tenant', { constraints: { version: '1.0.0', tenant: 'a' } }],
  ['MCP_ERR_ROUTE_FILES', 'multipart/form-data', { schema: { consumes: ['multipart/form-data'] } }],
  ['MCP_ERR_ROUTE_FILES', 'text/csv', { schema: { produces: ['text/csv', 'application/pdf'] } }],
  [
    'MCP_ERR_ROUTE_FILES',
    'produces image/png',
    {
      method: 'GET',
      config: { mcp: { tool: false, resource: { uri: 'toy://picture' } } },
      schema: { produces: ['image/png'] },
    },
  ],
  ['MCP_ERR_ROUTE_FILES', 'body', { schema: { body: { content: { 'message/rfc822': { schema: file } } } } }],
  ['MCP_ERR_ROUTE_FILES', 'takes', { schema: { body: object({ picture: file }) } }],
  ['MCP_ERR_ROUTE_FILES', 'takes', { schema: { body: object({ list: { type: 'array', items: file } }) } }],
  ['MCP_ERR_ROUTE_FILES', 'takes', { schema: { body: z.object({ picture: z.file() }) } }],
  [
    'MCP_ERR_ROUTE_FILES',
    'answer',
    { schema: { response: { 200: { content: { 'text/csv': { schema: {} } } } } } },
  ],
  ['MCP_ERR_ROUTE_FILES', '200', { schema: { response: { 200: file } } }],
  [
    'MCP_ERR_ROUTE_FILES',
    '201',
    { schema: { response: { 201: { type: 'string', contentEncoding: 'binary' } } } },
  ],
  ['MCP_ERR_ROUTE_FILES', '2xx', { schema: { response: { '2xx': z.file() } } }],
  ['MCP_ERR_ROUTE_SCHEMA', 'body: at: Date', { schema: { body: z.object({ at: z.date() }) } }],
  ['MCP_ERR_ROUTE_SCHEMA', 'z.coerce.date()', { schema: { body: z.object({ at: z.date() }) } }],
  [
    'MCP_ERR_ROUTE_SCHEMA',
    'response 200: the whole: Transform',
    { schema: { response: { 200: z.string().transform(Number) } } },
  ],
  [
    'MCP_ERR_ROUTE_SCHEMA',
    'response 2xx: data[].rest.*.at: Transform',
    {
      schema: {
        response: {
          '2xx': z.object({
            data: z.array(
              z.object({
                rest: z.record(z.string(), z.object({ at: z.any().transform(String).optional() })),
              }),
            ),
          }),
        },
      },
    },
  ],
  ['MCP_ERR_ROUTE_SCHEMA', 'z.codec()', { schema: { response: { 200: z.string().transform(Number) } } }],
  [
    'MCP_ERR_ROUTE_SCHEMA',
    'response 201: n: BigInt',
    { schema: { response: { 201: z.object({ n: z.bigint() }) } } },
  ],
  [
    'MCP_ERR_ROUTE_SCHEMA',
    'querystring: a: BigInt',
    { schema: { querystring: z.object({ a: z.bigint() }) } },
  ],
  ['MCP_ERR_ROUTE_SCHEMA', 'z.coerce.bigint()', { schema: { querystring: z.object({ a: z.bigint() }) } }],
  ['MCP_ERR_ROUTE_SCHEMA', 'params: id: Custom', { schema: { params: z.object({ id: z.instanceof(URL) }) } }],
  [
    'MCP_ERR_ROUTE_SCHEMA',
    'headers: if-match: Map',
    { schema: { headers: z.object({ 'if-match': z.map(z.string(), z.string()) }) } },
  ],
  ['MCP_ERR_ROUTE_SCHEMA', 'not "array"', { schema: { body: { type: 'array', items: {} } } }],
  ['MCP_ERR_ROUTE_SCHEMA', 'not "string"', { schema: { body: z.string() } }],
  ['MCP_ERR_ROUTE_SCHEMA', 'not "string"', { schema: { body: { anyOf: [{ type: 'string' }, object({})] } } }],
  ['MCP_ERR_ROUTE_SCHEMA', 'must be an object', { schema: { body: true } }],
  ['MCP_ERR_ROUTE_SCHEMA', 'must be an object', { schema: { response: { 200: 'text' } } }],
  ['MCP_ERR_ROUTE_SCHEMA', '"nowhere#" leads nowhere', { schema: { body: { $ref: 'nowhere#' } } }],
  ['MCP_ERR_ROUTE_SCHEMA', '"constructor#" leads', { schema: { body: { $ref: 'constructor#' } } }],
  [
    'MCP_ERR_ROUTE_SCHEMA',
    '"#/definitions/x" leads',
    { schema: { body: object({ a: { $ref: '#/definitions/x' } }) } },
  ],
  [
    'MCP_ERR_ROUTE_SCHEMA',
    '"#/constructor" leads',
    { schema: { body: object({ a: { $ref: '#/constructor' } }) } },
  ],
  ['MCP_ERR_ROUTE_SCHEMA', '"#x" is no JSON pointer', { schema: { body: object({ a: { $ref: '#x' } }) } }],
  ['MCP_ERR_ROUTE_SCHEMA', 'URI', { schema: { body: object({ a: { $ref: '#/%zz' } }) } }],
  ['MCP_ERR_ROUTE_SCHEMA', 'nested too deep', { schema: { body: { $ref: '#' } } }],
  ['MCP_ERR_ROUTE_HEADER', 'a: ', { schema: { body: object({ a: mirrored('two words') }) } }],
  ['MCP_ERR_ROUTE_HEADER', 'a: ', { schema: { body: object({ a: mirrored('') }) } }],
  ['MCP_ERR_ROUTE_HEADER', 'a: ', { schema: { body: object({ a: mirrored(7) }) } }],
  ['MCP_ERR_ROUTE_HEADER', 'a: ', { schema: { body: object({ a: mirrored('A', 'number') }) } }],
  [
    'MCP_ERR_ROUTE_HEADER',
    'a.b: ',
    { schema: { body: object({ a: object({ b: mirrored('A', 'array') }) }) } },
  ],
  [
    'MCP_ERR_ROUTE_HEADER',
    'same header',
    { schema: { body: object({ a: mirrored('A'), b: mirrored('a') }) } },
  ],
  [
    'MCP_ERR_ROUTE_HEADER',
    'properties alone',
    { schema: { body: object({ a: { type: 'array', items: object({ b: mirrored('B') }) } }) } },
  ],
  ['MCP_ERR_ROUTE_CONFIG', 'destroy: ', { config: { mcp: { destroy: true } } }],
  ['MCP_ERR_ROUTE_CONFIG', 'readOnly: ', { config: { mcp: { readOnly: 'yes' } } }],
  ['MCP_ERR_ROUTE_CONFIG', 'destructive: ', { config: { mcp: { destructive: 'yes' } } }],
  ['MCP_ERR_ROUTE_CONFIG', 'deadline: ', { config: { mcp: { deadline: 0 } } }],
  ['MCP_ERR_ROUTE_CONFIG', 'title: ', { config: { mcp: { title: '' } } }],
  ['MCP_ERR_ROUTE_CONFIG', 'config.mcp: ', { config: { mcp: 'yes' } }],
  ['MCP_ERR_ROUTE_CONFIG', 'config.mcp: ', { config: { mcp: null } }],
  ['MCP_ERR_ROUTE_ARGUMENT', 'id (path and query)', { schema: { querystring: object({ id: {} }) } }],
  ['MCP_ERR_ROUTE_ARGUMENT', 'id (path and body)', { schema: { body: object({ id: {} }) } }],
  [
    'MCP_ERR_ROUTE_ARGUMENT',
    'a (query and body)',
    { schema: { query: object({ a: {} }), body: object({ a: {} }) } },
  ],
  [
    'MCP_ERR_ROUTE_ARGUMENT',
    'if_match (body and header)',
    { schema: { body: object({ if_match: {} }), headers: object({ 'If-Match': {} }) } },
  ],
]

test('an exposed route that cannot be a tool stops the boot with its method and URL', async t => {
  for (const [code, detail, change] of wrong) {
    const error = await bootWith(change)
    const name = `${code} ${JSON.stringify(change)}`
    t.equal(error?.code, code, name)
    const { method = 'POST', url = '/things/:id' } = change
    const methods = [method].flat().filter(one => one !== 'HEAD')
    t.ok(error?.message.includes(`Route: ${methods.join(',')} ${url}.`), `${name} ${error?.message}`)
    t.ok(error?.message.includes(detail), `${name} ${error?.message}`)
  }
})

test('the message about a URL says what is wrong with each kind of it', async t => {
  for (const [url, said] of [
    ['/files/*', 'wildcard'],
    ['/things/:id?', 'optional'],
    ['/things/:id(^\\d+$)', 'pattern'],
    ['/things/:a-:b', 'no whole segment'],
    ['/things/:a.json', 'no whole segment'],
    ['/things/:id::cancel', 'no whole segment'],
  ] as const)
    t.ok((await bootWith({ url }))?.message.includes(said), url)
})

test('the same route without the fault is a tool', async t => {
  t.equal(await bootWith({}), null)
  for (const change of [
    { schema: { operationId: 'n'.repeat(64) } },
    { schema: { operationId: undefined }, config: { mcp: { name: 'named' } } },
    { config: { scopes: [] } },
    { method: 'GET', url: '/a::b/things' },
    { constraints: { version: '1.2.3', host: 'api.test' } },
    { schema: { body: { content: { 'application/json': { schema: object({}) } } } } },
    {
      schema: {
        response: {
          200: { content: { 'application/json': { schema: object({}) }, 'text/csv': { schema: {} } } },
        },
      },
    },
    { schema: { consumes: ['application/json', 'text/plain'], produces: ['application/json'] } },
    { schema: { body: object({ format: { type: 'string', const: 'binary' } }) } },
    { schema: { response: { 204: z.void(), 205: {} } } },
  ] satisfies Change[]) {
    t.equal(await bootWith(change), null, JSON.stringify(change))
  }
})

test('two tools of one name stop the boot with both routes', async t => {
  const route = (app: FastifyInstance, url: string, name: string) =>
    app.get(
      url,
      {
        schema: { operationId: name, summary: 'x', response: { 200: { type: 'object' } } },
        config: { scopes: [], mcp: true },
      },
      async () => ({}),
    )
  const error = await boot(app => {
    route(app, '/one', 'same')
    route(app, '/two', 'other')
    route(app, '/three', 'same')
  })
  t.equal(error?.code, 'MCP_ERR_TOOL_NAME_TAKEN')
  for (const part of ['same', 'GET /one', 'GET /three']) t.match(error?.message, part)
  t.notMatch(error?.message, '/two')
})

test('every code of the boot has a case, here or in another test of the boot', t => {
  const elsewhere = [
    'MCP_ERR_OPTION',
    'MCP_ERR_DUPLICATE_PATH',
    'MCP_ERR_TOOL_NAME_TAKEN',
    // boot-declarations.test.ts
    'MCP_ERR_ROUTE_PREVIEW',
    'MCP_ERR_ROUTE_RESOURCE',
    'MCP_ERR_RESOURCE_TAKEN',
    'MCP_ERR_PROMPT',
    'MCP_ERR_COMPLETION',
  ]
  const codes = new Set([...elsewhere, ...wrong.map(([code]) => code)])
  t.same([...codes].sort(), Object.keys(bootErrors).sort())
  t.end()
})

test('a route that is no tool may be declared as it likes', async t => {
  const error = await boot(app => {
    app.get('/files/*', { config: { mcp: false } }, async () => ({}))
    app.post('/files', { schema: { body: z.object({ at: z.date() }) } }, async () => ({}))
  })
  t.equal(error, null)
})
