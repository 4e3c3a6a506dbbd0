import type { Fail } from '../errors.ts'
import { isObject } from '../message.ts'
import type { CollectedRoute } from './collect.ts'
import type { ArgumentPlace } from './describe.ts'
import type { JsonSchema, SchemaConverter } from './json-schema.ts'

/** The tool's arguments: their JSON Schema, and where each goes in the request. */
export interface ToolInput {
  readonly schema: JsonSchema
  readonly places: ReadonlyMap<string, ArgumentPlace>
  readonly undeclared: { readonly place: 'query' | 'body'; readonly isChecked: boolean }
  readonly hasBody: boolean
}

/** Request headers that may be arguments, and the arguments' names; no other header is one. */
export const headerArguments: ReadonlyMap<string, string> = new Map([
  ['if-match', 'if_match'],
  ['idempotency-key', 'idempotency_key'],
])

/**
 * Merges path, query, body and listed headers into one flat object. Arguments are named as the route names them, so
 * one name may stand in one place only.
 */
export function toInputSchema(route: CollectedRoute, converter: SchemaConverter, fail: Fail): ToolInput {
  const { schema } = route
  refuseFiles(schema, fail)
  const sent = {
    convert: (part: unknown) =>
      part === undefined ? null : toFlatObject(converter.convert(part), converter),
  }
  const parts: readonly (readonly [ArgumentPlace, FlatObject | null])[] = [
    ['path', toPathObject(route.url, sent.convert(schema.params), fail)],
    ['query', sent.convert(schema.querystring ?? schema.query)],
    ['body', sent.convert(toJsonBody(schema.body, fail))],
    ['header', toHeaderObject(sent.convert(schema.headers))],
  ]
  if (converter.describesFiles()) fail('MCP_ERR_ROUTE_FILES', 'It takes a file.')
  const properties: Record<string, unknown> = {}
  const required: string[] = []
  const places = new Map<string, ArgumentPlace>()
  for (const [place, part] of parts) {
    for (const [name, property] of Object.entries(part?.properties ?? {})) {
      if (places.has(name))
        fail('MCP_ERR_ROUTE_ARGUMENT', `Argument: ${name} (${places.get(name)} and ${place}).`)
      places.set(name, place)
      Object.defineProperty(properties, name, {
        value: property,
        enumerable: true,
        configurable: true,
        writable: true,
      })
    }
    required.push(...(part?.required ?? []))
  }
  const definitions = converter.definitions()
  const place = route.method === 'GET' || route.method === 'DELETE' ? 'query' : 'body'
  return {
    schema: {
      type: 'object',
      properties,
      ...(required.length > 0 && { required }),
      additionalProperties: false,
      ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
    },
    places,
    undeclared: { place, isChecked: parts.some(([name, part]) => name === place && part !== null) },
    hasBody: parts.some(([name, part]) => name === 'body' && part !== null),
  }
}

interface FlatObject {
  readonly properties: Readonly<Record<string, unknown>>
  readonly required: readonly string[]
}

// A root union of objects is offered as one object with the members of all: `oneOf` beside no `type: object` is
// refused by clients, and the route's own validation still decides which combinations it takes.
function toFlatObject(schema: JsonSchema, converter: SchemaConverter, depth = 0): FlatObject {
  if (depth > 10) throw new Error('the arguments are nested too deep to be one object')
  if (typeof schema.$ref === 'string') {
    const target = converter.definitions()[schema.$ref.slice('#/$defs/'.length)]
    return toFlatObject(isObject(target) ? target : {}, converter, depth + 1)
  }
  const own: FlatObject = {
    properties: isObject(schema.properties) ? schema.properties : {},
    required: Array.isArray(schema.required) ? schema.required.map(String) : [],
  }
  const branches = (keyword: string): FlatObject[] => {
    const list = schema[keyword]
    return Array.isArray(list)
      ? list.filter(isObject).map(branch => toFlatObject(branch, converter, depth + 1))
      : []
  }
  const all = branches('allOf')
  const either = [...branches('anyOf'), ...branches('oneOf')]
  const isAnObject =
    schema.type === 'object' ||
    schema.type === undefined ||
    (Array.isArray(schema.type) && schema.type.includes('object'))
  if (!isAnObject) throw new Error(`arguments are an object, not ${JSON.stringify(schema.type)}`)
  return {
    properties: mergeProperties([own, ...all, ...either]),
    required: [
      ...new Set(
        [own, ...all].flatMap(part => part.required).concat(commonTo(either.map(part => part.required))),
      ),
    ],
  }
}

function mergeProperties(parts: readonly FlatObject[]): Record<string, unknown> {
  const variants = new Map<string, unknown[]>()
  for (const part of parts) {
    for (const [name, property] of Object.entries(part.properties)) {
      const seen = variants.get(name) ?? []
      if (!seen.some(other => JSON.stringify(other) === JSON.stringify(property))) seen.push(property)
      variants.set(name, seen)
    }
  }
  const merged: Record<string, unknown> = {}
  for (const [name, seen] of variants) {
    const value = seen.length === 1 ? seen[0] : { anyOf: seen }
    Object.defineProperty(merged, name, { value, enumerable: true, configurable: true, writable: true })
  }
  return merged
}

function commonTo(lists: readonly (readonly string[])[]): readonly string[] {
  const [first, ...others] = lists
  return first?.filter(name => others.every(list => list.includes(name))) ?? []
}

// Every `:name` of the URL is an argument, whether the route has a schema for it or not.
function toPathObject(url: string, declared: FlatObject | null, fail: Fail): FlatObject | null {
  const names = toPathNames(url, fail)
  if (names.length === 0) return null
  const properties = Object.fromEntries(
    names.map(name => {
      const isDeclared = declared !== null && Object.hasOwn(declared.properties, name)
      return [name, isDeclared ? declared.properties[name] : { type: 'string' }]
    }),
  )
  return { properties, required: names }
}

/** The names of the parameters in a URL pattern, in order. */
export function toPathNames(url: string, fail: Fail): readonly string[] {
  if (url.includes('*')) fail('MCP_ERR_ROUTE_URL', 'A wildcard is no argument.')
  return url.split('/').flatMap(segment => {
    // `::` is a colon of the text, but not behind a name: `:id::cancel` is one parameter of that whole name.
    if (!segment.replaceAll('::', '').includes(':') && !/^:[^:]/.test(segment)) return []
    // `:a-:b`, `:a.txt` and `:a(regex)` would need more than one encoding of the same value.
    if (!/^:[A-Za-z0-9_]+$/.test(segment)) fail('MCP_ERR_ROUTE_URL', `Segment: ${segment}.`)
    return [segment.slice(1)]
  })
}

function toHeaderObject(declared: FlatObject | null): FlatObject | null {
  if (declared === null) return null
  const entries = Object.entries(declared.properties).flatMap(([header, property]) => {
    const name = headerArguments.get(header.toLowerCase())
    return name === undefined ? [] : [[name, property] as const]
  })
  return { properties: Object.fromEntries(entries), required: [] }
}

// Fastify's `body.content` maps media types to schemas.
function toJsonBody(body: unknown, fail: Fail): unknown {
  if (!isObject(body) || !isObject(body.content)) return body
  const json = body.content['application/json']
  if (!isObject(json)) return fail('MCP_ERR_ROUTE_FILES', 'The body is not JSON.')
  return json.schema
}

function refuseFiles(schema: Readonly<Record<string, unknown>>, fail: Fail): void {
  const { consumes } = schema
  if (Array.isArray(consumes) && !consumes.includes('application/json'))
    fail('MCP_ERR_ROUTE_FILES', `It consumes ${consumes.join(', ')}.`)
}
