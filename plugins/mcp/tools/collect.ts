import type { FastifyInstance } from 'fastify'
import { wrapIds } from '../dispatch/identity.ts'
import { markAsTool } from '../dispatch/mark-as-tool.ts'
import { McpBootError } from '../errors.ts'
import { isObject } from '../message.ts'
import { describeTool, type Tool } from './describe.ts'
import { findUnsayable } from './find-unsayable.ts'
import type { SharedSchemas } from './json-schema.ts'

/** An exposed route as Fastify reported it, with what `ready` needs to describe it. */
export interface CollectedRoute {
  readonly method: string
  /** The URL pattern, prefix included. */
  readonly url: string
  readonly schema: Readonly<Record<string, unknown>>
  readonly mcp: unknown
  readonly scopes: unknown
  readonly permission: string | undefined
  readonly constraints: unknown
  readonly shared: SharedSchemas
  /** How the route can be reached, unless it says so itself. */
  readonly dispatch: 'inject' | 'direct'
  /** Marks the route, so that a dispatch can tell it from every other. */
  readonly key: symbol
}

/** The tools of one plugin instance, sorted by name. */
export interface ToolRegistry {
  readonly tools: readonly Tool[]
  /** The tools, and the routes that are only resources. */
  readonly operations: readonly Tool[]
  /** Every scope that some tool needs, sorted. */
  readonly scopes: readonly string[]
  find(name: string): Tool | undefined
  /** Like `find`, for a preview, which may be only a resource. */
  findOperation(name: string): Tool | undefined
}

/**
 * Collects the exposed routes that are registered from now on in this context and below, and describes them when
 * `build` is called (at ready, when every shared schema is known). The registry never changes after that.
 */
export function collectTools(
  fastify: FastifyInstance,
  dispatch: CollectedRoute['dispatch'],
): { build(): ToolRegistry } {
  const routes: (() => CollectedRoute)[] = []
  fastify.addHook('onRoute', function (route) {
    const mcp = route.config?.mcp
    if (mcp === undefined || mcp === false) return
    // Fastify reports each GET a second time, as the HEAD route that it adds by itself.
    const method = [route.method]
      .flat()
      .filter(name => name !== 'HEAD')
      .join(',')
    if (method === '') return
    const key = markAsTool(route, mayDestroy(mcp, method))
    wrapIds(this)
    const { url, schema, config } = route
    const read = (): CollectedRoute => ({
      method,
      url,
      schema: isObject(schema) ? schema : {},
      mcp,
      scopes: config?.scopes,
      permission: config?.permission,
      constraints: route.constraints,
      shared: this.getSchemas(),
      // Express and Connect replace the prototypes of Node's own classes.
      dispatch: this.hasDecorator('use') ? 'inject' : dispatch,
      key,
    })
    routes.push(read)
  })
  return {
    build: () =>
      toRegistry(
        routes.map(read => {
          const route = read()
          const tool = describeTool(route)
          warn(fastify, route)
          return tool
        }),
      ),
  }
}

// No error: the API is as it is, and the other arguments of the tool work.
function warn({ log }: FastifyInstance, route: CollectedRoute): void {
  for (const { property, problem, remedy } of findUnsayable(route)) {
    const message =
      'what a URL says of this argument is not what its schema takes, unless this API turns texts into values first'
    log.warn({ route: `${route.method} ${route.url}`, property, problem, remedy }, message)
  }
}

function toRegistry(unsorted: readonly Tool[]): ToolRegistry {
  // By code unit, not by locale: the same order on every machine.
  const operations = [...unsorted].sort((a, b) => (a.name < b.name ? -1 : 1))
  const byName = new Map<string, Tool>()
  for (const tool of operations) {
    const twin = byName.get(tool.name)
    if (twin) {
      const routes = `${twin.method} ${twin.url}, ${tool.method} ${tool.url}`
      throw new McpBootError('MCP_ERR_TOOL_NAME_TAKEN', `Name: ${tool.name}. Routes: ${routes}.`)
    }
    byName.set(tool.name, tool)
  }
  for (const tool of operations) checkPreview(tool, byName)
  const scopes = [...new Set(operations.flatMap(tool => tool.scopes))].sort()
  return Object.freeze({
    tools: Object.freeze(operations.filter(operation => operation.isTool)),
    operations: Object.freeze(operations),
    scopes: Object.freeze(scopes),
    find: (name: string) => (byName.get(name)?.isTool ? byName.get(name) : undefined),
    findOperation: (name: string) => byName.get(name),
  })
}

// Found at boot, since nobody may be asked about a record that cannot be shown.
function checkPreview(
  { name, preview, places, shownMembers }: Tool,
  byName: ReadonlyMap<string, Tool>,
): void {
  if (preview === null) return
  const isCarried = (argument: string, shown: Tool) =>
    shown.places.has(argument) && places.has(toOwn(preview, argument))
  const shown = byName.get(preview.tool)
  const isShown = shown?.method === 'GET' && !shown.destructive
  const wrong = isShown ? toNames(shown, preview).find(name => !isCarried(name, shown)) : ''
  const member = isShown ? shownMembers.find(shows => shown.answerMembers?.has(shows) === false) : undefined
  if (wrong === undefined && member === undefined) return
  const argument = wrong ? `, argument: ${toOwn(preview, wrong)}` : ''
  const detail = argument || (member ? `, member: ${member}` : '')
  throw new McpBootError('MCP_ERR_ROUTE_PREVIEW', `Tool: ${name}. Preview: ${preview.tool}${detail}.`)
}

/** The arguments that a preview is called with: those of its path, and those that are mapped. */
export function toNames(shown: Tool, preview: NonNullable<Tool['preview']>): readonly string[] {
  return [...new Set([...shown.pathNames, ...(preview.arguments?.keys() ?? [])])]
}

/** The argument of the destructive tool that an argument of its preview takes. */
export function toOwn(preview: NonNullable<Tool['preview']>, argument: string): string {
  return preview.arguments?.get(argument) ?? argument
}

// Settled properly when the route is described; here it only decides whether the route gets the hook for checks.
function mayDestroy(mcp: unknown, method: string): boolean {
  const said = isObject(mcp) ? mcp.destructive : undefined
  return typeof said === 'boolean' ? said : method === 'DELETE'
}
