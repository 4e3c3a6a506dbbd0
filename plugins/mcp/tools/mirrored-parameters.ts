import type { MirroredParameter } from '../headers.ts'
import { isObject } from '../message.ts'
import type { JsonSchema } from './json-schema.ts'

/**
 * The parameters that a client mirrors into `Mcp-Param-*`: those annotated `x-mcp-header`, reachable from the root
 * by `properties` alone. Throws an Error where an annotation breaks the rules, since clients drop such a tool.
 * MCP 2026-07-28, server/tools, x-mcp-header.
 */
export function findMirroredParameters(schema: JsonSchema): readonly MirroredParameter[] {
  const found: MirroredParameter[] = []
  const collect = (node: unknown, path: readonly string[]): void => {
    if (!isObject(node) || !isObject(node.properties)) return
    for (const [name, property] of Object.entries(node.properties)) {
      if (!isObject(property)) continue
      const at = [...path, name]
      if (Object.hasOwn(property, 'x-mcp-header')) found.push(toMirrored(property, at))
      collect(property, at)
    }
  }
  collect(schema, [])
  const headers = new Set(found.map(parameter => parameter.header))
  if (headers.size !== found.length) throw new Error('two parameters name the same header')
  if (countAnnotations(schema) !== found.length)
    throw new Error('an annotation is not reachable by properties alone')
  return Object.freeze(found)
}

function toMirrored(property: Record<string, unknown>, path: readonly string[]): MirroredParameter {
  const name = property['x-mcp-header']
  if (typeof name !== 'string' || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
    throw new Error(`${path.join('.')}: not a header name`)
  const { type } = property
  if (type !== 'string' && type !== 'integer' && type !== 'boolean')
    throw new Error(`${path.join('.')}: only a string, an integer or a boolean`)
  return { header: `mcp-param-${name.toLowerCase()}`, path, integer: type === 'integer' }
}

function countAnnotations(node: unknown): number {
  if (Array.isArray(node)) return node.reduce((sum: number, item) => sum + countAnnotations(item), 0)
  if (!isObject(node)) return 0
  return Object.entries(node).reduce(
    (sum, [keyword, value]) =>
      sum + (keyword === 'x-mcp-header' && !isObject(value) ? 1 : countAnnotations(value)),
    0,
  )
}
