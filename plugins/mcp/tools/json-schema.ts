import { McpBootError } from '../errors.ts'
import { isObject } from '../message.ts'
import { fromZod, isZod } from './from-zod.ts'

export type JsonSchema = { readonly [keyword: string]: unknown }

/** Schemas that routes share by `$id` (Fastify's `addSchema`), as `getSchemas()` returns them. */
export type SharedSchemas = Readonly<Record<string, unknown>>

/** Which side a schema describes: what a caller sends (`input`) or what it gets (`output`). */
export type Side = 'input' | 'output'

/**
 * Turns the schemas of one side of a route, zod or plain JSON Schema, into JSON Schema 2020-12 that stands by itself:
 * every `$ref`, local, shared or recursive, points into one `$defs`, which {@link definitions} returns.
 * `convert` throws an Error that says what cannot be described.
 */
export function createSchemaConverter(shared: SharedSchemas, side: Side) {
  const definitions = new Map<string, unknown>()
  const names = new Map<string, string>()
  let hasFiles = false

  function convert(schema: unknown): JsonSchema {
    const root = isZod(schema) ? fromZod(schema, side) : schema
    if (!isObject(root)) throw new Error('a schema must be an object')
    return walkSchema(root, root)
  }

  function walk(node: unknown, root: object): unknown {
    if (Array.isArray(node)) return node.map(item => walk(item, root))
    return isObject(node) ? walkSchema(node, root) : node
  }

  function walkSchema(node: Record<string, unknown>, root: object): Record<string, unknown> {
    if (typeof node.$ref === 'string') return toReference(node, root)
    if (node.format === 'binary' || node.contentEncoding === 'binary') hasFiles = true
    const result: Record<string, unknown> = {}
    for (const [keyword, value] of Object.entries(node)) {
      if (dropped.has(keyword)) continue
      if (literal.has(keyword)) define(result, keyword, value)
      else if (mapped.has(keyword) && isObject(value))
        define(
          result,
          keyword,
          mapValues(value, item => walk(item, root)),
        )
      else define(result, keyword, walk(value, root))
    }
    return modernize(result, node.nullable === true)
  }

  function toReference(node: Record<string, unknown>, root: object): Record<string, unknown> {
    const { $ref, nullable, ...siblings } = node
    const [document, target] = resolve(String($ref), root)
    const key = `${idOf(document)}${String($ref)}`
    let name = names.get(key)
    if (name === undefined) {
      name = freeName(String($ref))
      names.set(key, name)
      definitions.set(name, {})
      definitions.set(name, walk(target, document))
    }
    const reference = { $ref: `#/$defs/${name}`, ...walkSchema(siblings, root) }
    return nullable === true ? toNullable(reference) : reference
  }

  // `#`, `#/definitions/x`, `shared#`, `shared#/definitions/x`: RFC 3986 fragments holding RFC 6901 pointers.
  function resolve(reference: string, root: object): readonly [object, unknown] {
    const [id = '', fragment = ''] = reference.split('#', 2)
    const pointer = decodeURIComponent(fragment)
    const isOwn = id === '' || (isObject(root) && root.$id === id)
    const document = isOwn ? root : (shared[id] ?? shared[`${id}#`])
    if (!isObject(document)) throw new Error(`$ref "${reference}" leads nowhere`)
    if (pointer !== '' && !pointer.startsWith('/')) throw new Error(`$ref "${reference}" is no JSON pointer`)
    let target: unknown = document
    for (const token of pointer.split('/').slice(1)) {
      const name = token.replaceAll('~1', '/').replaceAll('~0', '~')
      if (typeof target !== 'object' || target === null || !Object.hasOwn(target, name))
        throw new Error(`$ref "${reference}" leads nowhere`)
      target = Reflect.get(target, name)
    }
    return [document, target]
  }

  const ids = new Map<object, string>()
  function idOf(document: object): string {
    const known = ids.get(document)
    if (known !== undefined) return known
    const id = `${ids.size}:`
    ids.set(document, id)
    return id
  }

  function freeName(reference: string): string {
    const wanted = reference.replace(/^.*[#/](?=[^#/])/, '').replace(/[^A-Za-z0-9_-]/g, '') || 'schema'
    let name = wanted
    for (let count = 2; definitions.has(name); count++) name = `${wanted}${count}`
    return name
  }

  return {
    convert,
    definitions: (): Readonly<Record<string, unknown>> => Object.fromEntries(definitions),
    /** True when something that was converted is a file, at any depth. */
    describesFiles: () => hasFiles,
  }
}

export type SchemaConverter = ReturnType<typeof createSchemaConverter>

/** Does something with one part of a route's schema; an Error that it throws names the part. */
export function inPart<T>(part: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof McpBootError) throw error
    throw new Error(`${part}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Keywords whose value is data, not a schema. */
const literal = new Set(['const', 'default', 'enum', 'examples', 'example', 'required', 'dependentRequired'])
/** Keywords whose value maps names to schemas; the names may look like keywords. */
const mapped = new Set(['properties', 'patternProperties', 'dependentSchemas', 'dependencies'])
/** Definitions are collected as they are referenced; ids and the dialect would change what `#` means. */
const dropped = new Set(['$schema', '$id', 'id', '$defs', 'definitions', 'nullable', '~standard'])

// What older dialects and OpenAPI say in their own way, in the words of 2020-12.
function modernize(schema: Record<string, unknown>, isNullable: boolean): Record<string, unknown> {
  const { items, additionalItems, ...rest } = schema
  const modern = Array.isArray(items)
    ? { ...rest, prefixItems: items, ...(additionalItems !== undefined && { items: additionalItems }) }
    : schema
  return isNullable ? toNullable(modern) : modern
}

function toNullable(schema: Record<string, unknown>): Record<string, unknown> {
  if (typeof schema.type !== 'string' || Object.hasOwn(schema, 'const'))
    return { anyOf: [schema, { type: 'null' }] }
  const values =
    Array.isArray(schema.enum) && !schema.enum.includes(null) ? { enum: [...schema.enum, null] } : {}
  return { ...schema, type: [schema.type, 'null'], ...values }
}

function mapValues(
  value: Record<string, unknown>,
  toValue: (item: unknown) => unknown,
): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const [name, item] of Object.entries(value)) define(result, name, toValue(item))
  return result
}

// A property may be called `__proto__`; assignment would set the prototype instead.
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true })
}
