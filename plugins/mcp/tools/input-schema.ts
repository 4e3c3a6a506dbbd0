import type { Fail } from '../errors.ts'
import { isObject } from '../message.ts'
import type { CollectedRoute } from './collect.ts'
import type { ArgumentPlace } from './describe.ts'
import { type FlatObject, toFlatObject, toRecord } from './flat-object.ts'
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
 * one name may stand in one place only; what no place names goes where further members are taken.
 */
export function toInputSchema(route: CollectedRoute, converter: SchemaConverter, fail: Fail): ToolInput {
  const { schema } = route
  refuseFiles(schema, fail)
  const sent = {
    convert: (part: unknown) =>
      part === undefined ? null : toFlatObject(converter.convert(part), converter),
  }
  const parts: Parts = {
    path: toPathObject(route.url, sent.convert(schema.params), fail),
    query: sent.convert(schema.querystring ?? schema.query),
    body: sent.convert(toJsonBody(schema.body, fail)),
    header: toHeaderObject(sent.convert(schema.headers)),
  }
  if (converter.describesFiles()) fail('MCP_ERR_ROUTE_FILES', 'It takes a file.')
  const places = toPlaces(parts, fail)
  const all = Object.values(parts).filter(part => part !== null)
  const required = all.flatMap(part => part.required)
  const definitions = converter.definitions()
  const [usual, other] = isBodiless(route.method)
    ? (['query', 'body'] as const)
    : (['body', 'query'] as const)
  const place = parts[usual]?.further || !parts[other]?.further ? usual : other
  return {
    schema: {
      type: 'object',
      properties: toRecord(all.flatMap(part => Object.entries(part.properties))),
      ...(required.length > 0 && { required }),
      ...toFurther(parts[place], toNamesElsewhere(places, place)),
      ...toSizes(all),
      ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
    },
    places,
    undeclared: { place, isChecked: parts[place] !== null },
    hasBody: parts.body !== null,
  }
}

type Parts = Readonly<Record<ArgumentPlace, FlatObject | null>>

function isBodiless(method: string): boolean {
  return method === 'GET' || method === 'DELETE'
}

function toPlaces(parts: Parts, fail: Fail): ReadonlyMap<string, ArgumentPlace> {
  const places = new Map<string, ArgumentPlace>()
  for (const place of ['path', 'query', 'body', 'header'] as const) {
    for (const name of Object.keys(parts[place]?.properties ?? {})) {
      if (places.has(name))
        fail('MCP_ERR_ROUTE_ARGUMENT', `Argument: ${name} (${places.get(name)} and ${place}).`)
      places.set(name, place)
    }
  }
  return places
}

function toNamesElsewhere(places: ReadonlyMap<string, ArgumentPlace>, place: ArgumentPlace) {
  return [...places].flatMap(([name, own]) => (own === place ? [] : [name]))
}

// What one place says of every name must not hold for the arguments of the others.
function toFurther(part: FlatObject | null, elsewhere: readonly string[]): JsonSchema {
  if (!part?.further) return { additionalProperties: false }
  const { patterns, others, names } = part.further
  const named = Object.entries(patterns).map(
    ([pattern, schema]) => [exclude(elsewhere, pattern), schema] as const,
  )
  const isAnyName = names === undefined || JSON.stringify(names) === '{"type":"string"}'
  return {
    ...(named.length > 0 && { patternProperties: toRecord(named) }),
    ...(!isAnyName && {
      propertyNames: elsewhere.length > 0 ? { anyOf: [{ enum: elsewhere }, names] } : names,
    }),
    additionalProperties: others ?? false,
  }
}

function exclude(names: readonly string[], pattern: string): string {
  const taken = names.filter(name => new RegExp(pattern, 'u').test(name))
  if (taken.length === 0) return pattern
  const literally = taken.map(name => name.replaceAll(/[\^$.*+?()[\]{}|/\\]/g, '\\$&'))
  return `^(?!(?:${literally.join('|')})$)(?=[\\s\\S]*(?:${pattern}))`
}

// The members of all places are counted as one, so each bound allows for every argument that the others may add.
function toSizes(parts: readonly FlatObject[]): JsonSchema {
  let [least, most] = [0, 0]
  for (const part of parts) {
    least += Math.max(part.least, part.required.length)
    const known = part.further ? Number.POSITIVE_INFINITY : Object.keys(part.properties).length
    most += Math.min(part.most, known)
  }
  return {
    ...(parts.some(part => part.least > part.required.length) && { minProperties: least }),
    ...(parts.some(part => Number.isFinite(part.most)) && Number.isFinite(most) && { maxProperties: most }),
  }
}

/** Of a part that takes what it names, and nothing else. */
const named = { further: null, least: 0, most: Number.POSITIVE_INFINITY }

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
  return { ...named, properties, required: names }
}

/** The names of the parameters in a URL pattern, in order. */
export function toPathNames(url: string, fail: Fail): readonly string[] {
  if (url.includes('*')) fail('MCP_ERR_ROUTE_URL', 'A wildcard is no argument.')
  return url.split('/').flatMap(segment => {
    if (!segment.includes(':') || segment.includes('::')) return []
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
  return { ...named, properties: Object.fromEntries(entries), required: [] }
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
