import { McpBootError } from '../errors.ts'
import { checkSource } from '../prompts/prompt.ts'
import type { ToolRegistry } from '../tools/collect.ts'
import { describeResource, type Resource } from './describe.ts'

/** A resource that a URI names, and the values that the URI carries. */
export interface FoundResource {
  readonly resource: Resource
  readonly values: Readonly<Record<string, string>>
}

/** The resources of one plugin instance, sorted by URI. */
export interface ResourceRegistry {
  readonly fixed: readonly Resource[]
  readonly templates: readonly Resource[]
  /** A fixed URI first, then the templates in order; null when none has the form. */
  find(uri: string): FoundResource | null
  findTemplate(template: string): Resource | undefined
}

/** Builds the registry. Throws MCP_ERR_RESOURCE_TAKEN where two routes name one URI. */
export function createResourceRegistry(registry: ToolRegistry): ResourceRegistry {
  const unsorted = registry.operations.flatMap(operation => {
    const { resource } = operation
    if (!resource) return []
    for (const source of Object.values(resource.complete)) checkSource(source, registry)
    return [describeResource(operation, resource)]
  })
  const all = unsorted.sort((a, b) => (a.uri < b.uri ? -1 : 1))
  const forms = all.map(({ uri }) => uri.replaceAll(/\{\w+\}/g, '{}'))
  const twin = all.find((_, index) => forms.indexOf(forms[index] ?? '') < index)
  if (twin) throw new McpBootError('MCP_ERR_RESOURCE_TAKEN', `URI: ${twin.uri}.`)
  const fixed = all.filter(resource => !resource.isTemplate)
  const templates = all.filter(resource => resource.isTemplate)
  const byUri = new Map(fixed.map(resource => [resource.uri, resource]))

  function find(uri: string): FoundResource | null {
    const resource = byUri.get(uri)
    if (resource) return { resource, values: {} }
    for (const template of templates) {
      const values = template.template.match(uri)
      if (values !== null) return { resource: template, values }
    }
    return null
  }

  return Object.freeze({
    fixed,
    templates,
    find,
    findTemplate: (uri: string) => templates.find(template => template.uri === uri),
  })
}
