import type { Fail } from '../errors.ts'
import { isObject } from '../message.ts'
import type { CollectedRoute } from './collect.ts'
import type { ArgumentPlace } from './describe.ts'
import { type FlatObject, toFlatObject, toRecord } from './flat-object.ts'
import { toBounds, toFurther } from './further-members.ts'
import { inPart, type JsonSchema, type SchemaConverter } from './json-schema.ts'
import { withoutNull } from './without-null.ts'

/** The tool's arguments: their JSON Schema, and where each goes in the request. */
export interface ToolInput {
  readonly schema: JsonSchema
  readonly places: ReadonlyMap<string, ArgumentPlace>
  readonly required: ReadonlySet<string>
  /** Headers that the route requires, and that a confirmation sends by itself. */
  readonly supplied: readonly string[]
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
export function toInputSchema(
  route: CollectedRoute,
  { converter, supplied }: InputContext,
  fail: Fail,
): ToolInput {
  const { schema } = route
  refuseFiles(schema, fail)
  const read = (name: string, part: unknown) =>
    part === undefined ? null : inPart(name, () => toFlatObject(converter.convert(part), converter))
  const headers = read('headers', schema.headers)
  const parts: Parts = {
    path: toPathObject(route.url, read('params', schema.params), fail),
    query: toTextual(read('querystring', schema.querystring ?? schema.query), converter),
    body: read('body', toJsonBody(schema.body, fail)),
    header: toTextual(toHeaderObject(headers, supplied), converter),
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
      ...toBounds(all),
      ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
    },
    places,
    required: new Set(required),
    supplied: supplied.filter(name => headers?.required.some(header => header.toLowerCase() === name)),
    undeclared: { place, isChecked: parts[place] !== null },
    hasBody: parts.body !== null,
  }
}

export interface InputContext {
  readonly converter: SchemaConverter
  /** Headers that a confirmation sends by itself. */
  readonly supplied: readonly string[]
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
    // `::` is a colon of the text, but not behind a name: `:id::cancel` is one parameter of that whole name.
    if (!segment.replaceAll('::', '').includes(':') && !/^:[^:]/.test(segment)) return []
    // `:a-:b`, `:a.txt` and `:a(regex)` would need more than one encoding of the same value.
    if (!/^:[A-Za-z0-9_]+$/.test(segment)) fail('MCP_ERR_ROUTE_URL', `Segment: ${segment}.`)
    return [segment.slice(1)]
  })
}

function toHeaderObject(declared: FlatObject | null, supplied: readonly string[]): FlatObject | null {
  if (declared === null) return null
  const toArgument = (header: string) => headerArguments.get(header.toLowerCase())
  const entries = Object.entries(declared.properties).flatMap(([header, property]) => {
    const name = toArgument(header)
    return name === undefined ? [] : [[name, property] as const]
  })
  const required = declared.required
    .filter(header => !supplied.includes(header.toLowerCase()))
    .flatMap(header => toArgument(header) ?? [])
  return { ...named, properties: Object.fromEntries(entries), required }
}

function toTextual(part: FlatObject | null, converter: SchemaConverter): FlatObject | null {
  if (part === null) return null
  const definitions = converter.definitions()
  const properties = Object.entries(part.properties).map(
    ([name, property]) => [name, withoutNull(property, definitions)] as const,
  )
  const further = part.further && {
    ...part.further,
    others: withoutNull(part.further.others, definitions),
  }
  return { ...part, properties: toRecord(properties), further }
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
