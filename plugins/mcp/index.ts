import type { FastifyInstance } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { createStateKeeper } from './confirmation/state.ts'
import { decorateRequests } from './dispatch/identity.ts'
import { McpBootError } from './errors.ts'
import { createList } from './lists.ts'
import { type McpOptions, type ParsedOptions, parseOptions } from './options.ts'
import { createPrompts } from './prompts/prompt.ts'
import { createResourceRegistry } from './resources/registry.ts'
import { registerEndpoint } from './route.ts'
import { createToolIndex } from './search/rank-tools.ts'
import { listSearchTools } from './search/search-tools.ts'
import type { Server } from './server.ts'
import { collectTools, type ToolRegistry } from './tools/collect.ts'

export type {
  AroundCall,
  Caller,
  CallReport,
  ClientInfo,
  DispatchedCall,
  ObservedCall,
  Permissions,
  RouteMcp,
  UnreachedCall,
} from './declarations.ts'
export { bootErrors, McpBootError } from './errors.ts'
export type { McpOptions } from './options.ts'

/**
 * Makes the API it is registered in an MCP server: `POST /mcp` (option `path`) answers the Model Context Protocol,
 * and every route registered afterwards in the same context or below, whose `config.mcp` says so, is a tool.
 *
 * Register it with `await`, before the routes: it sees no others. Wrong options reject with MCP_ERR_OPTION; a route that
 * cannot be a tool as it is declared makes `ready()` reject with the MCP_ERR_ROUTE_* code that says why.
 */
export const mcp = fastifyPlugin(registerMcp, { name: 'mcp', fastify: '5.x' })

async function registerMcp(fastify: FastifyInstance, rawOptions: McpOptions): Promise<void> {
  const options = parseOptions(rawOptions)
  const url = `${fastify.prefix}${options.path}`
  if (fastify.hasRoute({ method: 'POST', url }))
    throw new McpBootError('MCP_ERR_DUPLICATE_PATH', `Path: ${url}.`)
  decorateRequests(fastify)
  const collected = collectTools(fastify, options.dispatch)
  let server: Server | null = null
  fastify.addHook('onReady', async () => {
    const registry = collected.build()
    reportExceptions(fastify, options, registry)
    const resources = createResourceRegistry(registry)
    const prompts = createPrompts(options.prompts, registry)
    const isSearched = options.listing === 'search'
    server = Object.freeze({
      fastify,
      options,
      registry,
      resources,
      prompts,
      lists: {
        tools: createList('tools', isSearched ? listSearchTools(registry) : registry.tools, options.pageSize),
        resources: createList('resources', resources.fixed, options.pageSize),
        templates: createList('resourceTemplates', resources.templates, options.pageSize),
        prompts: createList('prompts', prompts, options.pageSize),
      },
      search: isSearched ? createToolIndex(registry.tools) : null,
      states: options.confirmation ? createStateKeeper(options.confirmation) : null,
      closings: toClosings(options),
    })
  })
  await fastify.register(
    async endpoint =>
      registerEndpoint(endpoint, options, () => {
        if (server === null) throw new Error('a request arrived before the plugin was ready')
        return server
      }),
    { prefix: options.path },
  )
}

function toClosings({ serverInfo }: ParsedOptions): Server['closings'] {
  const meta = `"_meta":${JSON.stringify({ 'io.modelcontextprotocol/serverInfo': serverInfo })}`
  return {
    cacheable: `"resultType":"complete","ttlMs":0,"cacheScope":"private",${meta}`,
    plain: `"resultType":"complete",${meta}`,
    asking: `"resultType":"input_required",${meta}`,
  }
}

// Said once at boot: what an operator expects of the option does not hold for these. And where nothing was seen at all,
// the plugin was registered too late to see it, which nothing else would tell.
function reportExceptions(
  fastify: FastifyInstance,
  { dispatch, path }: ParsedOptions,
  { operations }: ToolRegistry,
): void {
  if (operations.length === 0) fastify.log.warn({ path }, withoutTools)
  const tools = operations.filter(operation => operation.dispatch !== dispatch).map(({ name }) => name)
  if (tools.length > 0) fastify.log.info({ tools }, 'these tools are dispatched by inject, not directly')
}

const withoutTools =
  'this MCP endpoint has no tools: it sees routes with config.mcp that are registered after it, in the same context or ' +
  'below; write `await app.register(mcp, …)` before the routes'
