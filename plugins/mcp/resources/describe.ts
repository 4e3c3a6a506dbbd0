import { type Fail, McpBootError } from '../errors.ts'
import type { Listed } from '../lists.ts'
import type { CompletionSource } from '../prompts/prompt.ts'
import type { Tool } from '../tools/describe.ts'
import type { ToolSettings } from '../tools/settings.ts'
import { compileUriTemplate, type UriTemplate } from './uri-template.ts'

export type ResourceSettings = NonNullable<ToolSettings['resource']>

/** One resource, or one template of resources: a document that a GET route answers for. */
export interface Resource extends Listed {
  /** The fixed URI, or the template. */
  readonly uri: string
  readonly template: UriTemplate
  readonly isTemplate: boolean
  readonly mimeType: string
  /** Where the values of a variable come from, by its name. */
  readonly complete: ReadonlyMap<string, CompletionSource>
  /** The operation whose route is read. */
  readonly operation: Tool
}

/** Turns a GET operation into a resource; fails the boot where its URI cannot carry what the route needs. */
export function describeResource(operation: Tool, settings: ResourceSettings): Resource {
  const fail: Fail = (code, detail) => {
    throw new McpBootError(code, `Route: ${operation.method} ${operation.url}. ${detail}`)
  }
  const { uri, mimeType = 'application/json', size } = settings
  if (operation.method !== 'GET' || operation.destructive)
    fail('MCP_ERR_ROUTE_RESOURCE', 'Only a GET that destroys nothing can be read.')
  const template = toTemplate(uri, fail)
  const unknown = template.names.find(name => !operation.places.has(name))
  if (unknown !== undefined) fail('MCP_ERR_ROUTE_RESOURCE', `${unknown} is no argument of the route.`)
  const missing = operation.pathNames.find(name => !template.names.includes(name))
  if (missing !== undefined) fail('MCP_ERR_ROUTE_RESOURCE', `The URI lacks {${missing}}.`)
  const stranger = Object.keys(settings.complete).find(name => !template.names.includes(name))
  if (stranger !== undefined) fail('MCP_ERR_ROUTE_RESOURCE', `complete: the URI lacks {${stranger}}.`)
  const isTemplate = template.names.length > 0
  const { name = operation.name, title = operation.title, description = operation.description } = settings
  const where = isTemplate ? { uriTemplate: uri } : { uri }
  const known = { description, mimeType, ...(size !== undefined && !isTemplate && { size }) }
  return Object.freeze({
    uri,
    template,
    isTemplate,
    mimeType,
    complete: new Map(Object.entries(settings.complete)),
    operation,
    name: uri,
    scopes: operation.scopes,
    permissions: operation.permissions,
    json: JSON.stringify({ ...where, name, title, ...known }),
    json202503: JSON.stringify({ ...where, name, ...known }),
  })
}

function toTemplate(uri: string, fail: Fail): UriTemplate {
  if (!/^[a-z][a-z0-9+.-]*:/.test(uri)) return fail('MCP_ERR_ROUTE_RESOURCE', `${uri} is no URI.`)
  try {
    return compileUriTemplate(uri)
  } catch (error) {
    return fail(
      'MCP_ERR_ROUTE_RESOURCE',
      `${uri}: ${error instanceof Error ? error.message : String(error)}.`,
    )
  }
}
