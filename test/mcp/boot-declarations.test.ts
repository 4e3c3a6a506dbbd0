import Fastify, { type RouteOptions } from 'fastify'
import { test } from 'tap'
import { McpBootError, type McpOptions, mcp } from '../../plugins/mcp/index.ts'
import { toyOptions } from './toy-notes.ts'

interface Declared {
  readonly name: string
  readonly url: string
  readonly method?: RouteOptions['method']
  readonly mcp?: object
  readonly response?: object
}

const unknown = { 200: { type: 'object' } }

/** The error with which a boot with these routes and options stops; null when it does not. */
async function boot(
  routes: readonly Declared[],
  options: Partial<McpOptions> = {},
): Promise<McpBootError | null> {
  const app = Fastify()
  try {
    await app.register(mcp, { ...toyOptions, ...options })
    for (const { name, url, method = 'GET', mcp = {}, response = unknown } of routes)
      app.route({
        method,
        url,
        schema: {
          operationId: name,
          summary: name,
          querystring: { type: 'object', properties: { q: { type: 'string' } } },
          response,
        },
        config: { scopes: [], mcp },
        handler: async () => ({}),
      })
    await app.ready()
    return null
  } catch (error) {
    if (error instanceof McpBootError) return error
    throw error
  } finally {
    await app.close()
  }
}

const list = { name: 'list', url: '/list' }
const get = { name: 'get', url: '/things/:id' }
const remove = { name: 'remove', url: '/things/:id', method: 'DELETE' } as const
const resource = (uri: string, more = {}) => ({ resource: { uri, ...more } })

test('a route that cannot be the resource it says it is stops the boot', async t => {
  for (const [route, detail] of [
    [{ ...remove, mcp: resource('a:{id}') }, 'DELETE /things/:id. Only a GET'],
    [{ ...get, mcp: { destructive: true, ...resource('a:{id}') } }, 'Only a GET'],
    [{ ...get, mcp: resource('things/{id}') }, 'things/{id} is no URI'],
    [{ ...get, mcp: resource('a:{id') }, 'a:{id: a brace has no partner'],
    [{ ...get, mcp: resource('a:{id}{q}') }, 'two values touch'],
    [{ ...get, mcp: resource('a:{id}/{other}') }, 'other is no argument'],
    [{ ...get, mcp: resource('a:things') }, 'The URI lacks {id}'],
    [
      { ...get, mcp: resource('a:{id}', { complete: { q: { tool: 'list' } } }) },
      'complete: the URI lacks {q}',
    ],
  ] as const) {
    const error = await boot([list, route])
    t.equal(error?.code, 'MCP_ERR_ROUTE_RESOURCE', detail)
    t.ok(error?.message.includes(detail), String(error?.message))
  }
  t.equal(
    await boot([list, { ...get, mcp: resource('a:{id}/{q}', { complete: { q: { tool: 'list' } } }) }]),
    null,
  )
})

test('two routes for one URI, or for one form of URI, stop the boot', async t => {
  for (const [one, two] of [
    ['a:b', 'a:b'],
    ['a:{q}', 'a:{q}'],
  ] as const) {
    const error = await boot([
      { ...list, mcp: resource(one) },
      { name: 'other', url: '/other', mcp: resource(two) },
    ])
    t.equal(error?.code, 'MCP_ERR_RESOURCE_TAKEN')
    t.match(error?.message, `URI: ${two}.`)
  }
  const forms = await boot([
    { ...list, mcp: resource('a:{q}') },
    { ...get, mcp: resource('a:{id}') },
  ])
  t.equal(forms?.code, 'MCP_ERR_RESOURCE_TAKEN', 'the second would never be reached')
  t.equal(
    await boot([
      { ...list, mcp: resource('a:b') },
      { ...get, mcp: resource('a:{id}') },
    ]),
    null,
  )
})

test('a completion that names no list tool stops the boot', async t => {
  for (const tool of ['nothing', 'get', 'create', 'hidden', 'drain']) {
    const complete = { tool }
    const routes: Declared[] = [
      list,
      { ...get, mcp: resource('a:{id}', { complete: { id: complete } }) },
      { name: 'create', url: '/things', method: 'POST' },
      { name: 'hidden', url: '/hidden', mcp: { tool: false } },
      { name: 'drain', url: '/drain', mcp: { destructive: true } },
    ]
    const byRoute = await boot(routes)
    t.match(byRoute, { code: 'MCP_ERR_COMPLETION' }, tool)
    t.ok(byRoute?.message.endsWith(`Tool: ${tool}.`))
    const argument = { name: 'a', description: 'a', complete }
    const prompt = {
      name: 'p',
      title: 'p',
      description: 'p',
      tools: ['list'],
      arguments: [argument],
      render: () => [],
    }
    t.match(await boot([...routes.slice(2), list, get], { prompts: [prompt] }), {
      code: 'MCP_ERR_COMPLETION',
    })
  }
})

test('a prompt that is not possible stops the boot', async t => {
  const prompt = { name: 'p', title: 'p', description: 'p', tools: ['list'], render: () => [] }
  t.equal(await boot([list], { prompts: [prompt] }), null)
  const unknown = await boot([list, { ...get, mcp: { tool: false } }], {
    prompts: [{ ...prompt, tools: ['list', 'get'] }],
  })
  t.equal(unknown?.code, 'MCP_ERR_PROMPT')
  t.match(unknown?.message, 'Prompt: p. Unknown tool: get.')
  const twice = await boot([list], { prompts: [prompt, { ...prompt, title: 'q' }] })
  t.equal(twice?.code, 'MCP_ERR_PROMPT')
  t.match(twice?.message, 'Prompt: p. The name stands twice.')
})

test('a preview that cannot be shown stops the boot', async t => {
  const preview = (preview: unknown) => ({ ...remove, mcp: { preview } })
  for (const [wrong, detail] of [
    ['nothing', 'Preview: nothing.'],
    ['create', 'Preview: create.'],
    ['drain', 'Preview: drain.'],
    ['other', 'Preview: other, argument: key.'],
    [{ tool: 'other', arguments: { key: 'none' } }, 'Preview: other, argument: none.'],
    [{ tool: 'get', arguments: { typo: 'id' } }, 'Preview: get, argument: id.'],
  ] as const) {
    const error = await boot([
      list,
      get,
      { name: 'create', url: '/things', method: 'POST' },
      { name: 'drain', url: '/drain', mcp: { destructive: true } },
      { name: 'other', url: '/others/:key' },
      preview(wrong),
    ])
    t.equal(error?.code, 'MCP_ERR_ROUTE_PREVIEW', JSON.stringify(wrong))
    t.match(error?.message, `Tool: remove. ${detail}`)
  }
  for (const right of ['get', { tool: 'get' }, { tool: 'list', arguments: { q: 'id' } }])
    t.equal(await boot([list, get, preview(right)]), null, JSON.stringify(right))
  t.equal(await boot([{ ...get, mcp: { tool: false } }, preview('get')]), null, 'it may be a resource only')
})

test('a question that shows a preview where there is none stops the boot', async t => {
  const error = await boot([{ ...remove, mcp: { question: 'Remove {data.title}?' } }])
  t.equal(error?.code, 'MCP_ERR_ROUTE_CONFIG')
  t.match(error?.message, 'question: only {arguments.…} can be shown without a preview.')
})

test('a question that shows what there is not stops the boot', async t => {
  const note = { 200: { type: 'object', properties: { title: { type: 'string' } } } }
  const shown = { ...get, response: note }
  for (const [question, code, detail] of [
    ['Remove {titel}?', 'MCP_ERR_ROUTE_PREVIEW', 'Tool: remove. Preview: get, member: titel.'],
    ['{title:whole} {data.title}?', 'MCP_ERR_ROUTE_PREVIEW', 'Tool: remove. Preview: get, member: data.'],
    [
      'Remove {arguments.idd}?',
      'MCP_ERR_ROUTE_CONFIG',
      'question: {arguments.idd} is no argument of this tool.',
    ],
    ['{arguments:whole}?', 'MCP_ERR_ROUTE_CONFIG', 'question: {arguments} is no argument of this tool.'],
  ] as const) {
    const error = await boot([shown, { ...remove, mcp: { preview: 'get', question } }])
    t.equal(error?.code, code, question)
    t.ok(error?.message.endsWith(detail), question)
  }
  const right = { preview: 'get', question: 'Remove {title:whole}, {arguments.id}, {arguments.q.0}?' }
  t.equal(await boot([shown, { ...remove, mcp: right }]), null)
  const open = { ...note[200], additionalProperties: true }
  const any = { ...remove, mcp: { preview: 'get', question: 'Remove {other}?' } }
  t.equal(await boot([{ ...get, response: { 200: open } }, any]), null, 'an answer may have more members')
  t.equal(await boot([get, any]), null, 'nothing is known of the answer')
})

test('a malformed question stops the boot', async t => {
  const error = await boot([{ ...remove, mcp: { question: 'Remove { data }?' } }])
  t.equal(error?.code, 'MCP_ERR_ROUTE_CONFIG')
  t.match(error?.message, 'question: { data } is not a path such as {data.subject}.')
})

test('wrong options of confirmations and prompts stop the boot with their name', async t => {
  const prompt = { name: 'p', title: 'p', description: 'p', tools: ['list'], render: () => [] }
  for (const [name, options] of [
    ['confirmation.keys', { confirmation: {} }],
    ['confirmation.keys', { confirmation: { keys: [] } }],
    ['confirmation.keys.1', { confirmation: { keys: ['k'.repeat(32), 'k'.repeat(31)] } }],
    ['confirmation.lifetime', { confirmation: { keys: ['k'.repeat(32)], lifetime: 0 } }],
    ['confirmation.context', { confirmation: { keys: ['k'.repeat(32)], context: 'workspace' } }],
    ['secret', { confirmation: { keys: ['k'.repeat(32)], secret: 'x' } }],
    ['prompts.0.name', { prompts: [{ ...prompt, name: 'two words' }] }],
    ['prompts.0.tools', { prompts: [{ ...prompt, tools: [] }] }],
    ['prompts.0.render', { prompts: [{ ...prompt, render: 'text' }] }],
    ['prompts.0.arguments.0.description', { prompts: [{ ...prompt, arguments: [{ name: 'a' }] }] }],
  ] as const) {
    const error = await boot([list], options as Partial<McpOptions>)
    t.equal(error?.code, 'MCP_ERR_OPTION', name)
    t.ok(error?.message.includes(`${name}: `), String(error?.message))
  }
})
