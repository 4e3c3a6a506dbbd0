import { isObject } from '../message.ts'
import type { JsonSchema, SchemaConverter } from './json-schema.ts'

/** One part of a request (path, query, body, headers) as one object: its members by name, and the others. */
export interface FlatObject {
  readonly properties: Readonly<Record<string, unknown>>
  readonly required: readonly string[]
  /** Null where only what is named may be sent. */
  readonly further: FurtherMembers | null
  /** How many members there may be. */
  readonly least: number
  readonly most: number
}

/** Members that are not named one by one. */
export interface FurtherMembers {
  /** Schemas by the pattern of a name. */
  readonly patterns: Readonly<Record<string, unknown>>
  /** The schema of those that match no pattern; undefined: there are none. */
  readonly others: unknown
  /** The schema of the names; undefined: any. */
  readonly names: unknown
}

/**
 * Reads a converted schema as one object. A root union of objects becomes one object with the members of all: `oneOf`
 * beside no `type: object` is refused by clients, and the route's own validation still decides which combinations it
 * takes. So does a choice that is null. Throws an Error for what is no object.
 *
 * JSON Schema lets an object have more members than it names. They are offered only where the schema speaks of them,
 * or where it names none at all: elsewhere the route would drop or ignore what a model makes up.
 */
export function toFlatObject(schema: JsonSchema, converter: SchemaConverter): FlatObject {
  const { isSilent, isClosed: _, ...flat } = read(schema, converter, 0)
  return isSilent ? { ...flat, further: { patterns: {}, others: true, names: schema.propertyNames } } : flat
}

interface Part extends FlatObject {
  /** It says `additionalProperties: false`. */
  readonly isClosed: boolean
  /** It says nothing about members. */
  readonly isSilent: boolean
}

function read(schema: JsonSchema, converter: SchemaConverter, depth: number): Part {
  if (depth > 10) throw new Error('the arguments are nested too deep to be one object')
  if (typeof schema.$ref === 'string') {
    const target = converter.definitions()[schema.$ref.slice('#/$defs/'.length)]
    return read(isObject(target) ? target : {}, converter, depth + 1)
  }
  const branches = (keyword: string): Part[] => {
    const list = schema[keyword]
    return Array.isArray(list)
      ? list
          .filter(isObject)
          .filter(branch => !isNull(branch))
          .map(branch => read(branch, converter, depth + 1))
      : []
  }
  const all = [readOwn(schema), ...branches('allOf')]
  const either = [...branches('anyOf'), ...branches('oneOf')]
  const isAnObject =
    schema.type === 'object' ||
    schema.type === undefined ||
    (Array.isArray(schema.type) && schema.type.includes('object'))
  if (!isAnObject) throw new Error(`arguments are an object, not ${JSON.stringify(schema.type)}`)
  return joinAll(either.length > 0 ? [...all, joinEither(either)] : all)
}

// No body at all has no form in arguments.
function isNull(schema: JsonSchema): boolean {
  return schema.type === 'null' || schema.const === null
}

function readOwn(schema: JsonSchema): Part {
  const { additionalProperties: others, propertyNames: names } = schema
  const required = Array.isArray(schema.required) ? schema.required.map(String) : []
  const patterns = isObject(schema.patternProperties) ? schema.patternProperties : {}
  const hasPatterns = Object.keys(patterns).length > 0
  const isOpen = others === true || isObject(others)
  const sizes = {
    least: typeof schema.minProperties === 'number' ? schema.minProperties : 0,
    most: typeof schema.maxProperties === 'number' ? schema.maxProperties : Number.POSITIVE_INFINITY,
  }
  const listed = toListedNames(names)
  // A record over an enum has these very members, and a model reads them better as such.
  if (listed !== null && isOpen && !hasPatterns && schema.properties === undefined) {
    const properties = toRecord(listed.map(name => [name, others === true ? {} : others]))
    return { properties, required, further: null, ...sizes, isClosed: true, isSilent: false }
  }
  return {
    properties: isObject(schema.properties) ? schema.properties : {},
    required,
    further: isOpen || hasPatterns ? { patterns, others: isOpen ? others : undefined, names } : null,
    ...sizes,
    isClosed: others === false && !hasPatterns,
    isSilent: others === undefined && !hasPatterns && schema.properties === undefined,
  }
}

function toListedNames(names: unknown): readonly string[] | null {
  if (!isObject(names) || !Array.isArray(names.enum)) return null
  return names.enum.every(name => typeof name === 'string') ? names.enum : null
}

function joinAll(parts: readonly Part[]): Part {
  const further = parts.flatMap(part => part.further ?? [])
  const isClosed = parts.some(part => part.isClosed)
  return {
    properties: mergeMembers(
      parts.map(part => part.properties),
      'anyOf',
    ),
    required: [...new Set(parts.flatMap(part => part.required))],
    further: isClosed || further.length === 0 ? null : joinFurther(further),
    least: Math.max(...parts.map(part => part.least)),
    most: Math.min(...parts.map(part => part.most)),
    isClosed,
    isSilent: parts.every(part => part.isSilent),
  }
}

function joinFurther(all: readonly FurtherMembers[]): FurtherMembers {
  const names = all.flatMap(({ names }) => names ?? [])
  return {
    patterns: mergeMembers(
      all.map(({ patterns }) => patterns),
      'allOf',
    ),
    others: combine(
      all.flatMap(({ others }) => others ?? []),
      'allOf',
    ),
    names: combine(names, 'allOf'),
  }
}

function joinEither(parts: readonly Part[]): Part {
  const [first, ...more] = parts
  if (first !== undefined && more.length === 0) return first
  const values = parts.flatMap(toFurtherValues)
  const named = parts.flatMap(part => Object.keys(part.properties))
  // What one choice names, another may take as a further member.
  const members = parts.map(part => {
    const others = combine(toFurtherValues(part), 'anyOf')
    const unnamed = others === undefined ? [] : named.map(name => [name, others] as const)
    return { ...toRecord(unnamed), ...part.properties }
  })
  return {
    properties: mergeMembers(members, 'anyOf'),
    required: first?.required.filter(name => more.every(part => part.required.includes(name))) ?? [],
    // Which names go with which choice is no longer told apart, so that none is refused that the route would take.
    further:
      values.length === 0 ? null : { patterns: {}, others: combine(values, 'anyOf'), names: undefined },
    least: Math.min(...parts.map(part => part.least)),
    most: Math.max(...parts.map(part => part.most)),
    isClosed: parts.every(part => part.isClosed),
    isSilent: parts.every(part => part.isSilent),
  }
}

function toFurtherValues({ further }: Part): readonly unknown[] {
  return further === null ? [] : [...Object.values(further.patterns), further.others ?? []].flat()
}

function mergeMembers(
  all: readonly Readonly<Record<string, unknown>>[],
  keyword: 'anyOf' | 'allOf',
): Record<string, unknown> {
  const variants = new Map<string, unknown[]>()
  for (const [name, member] of all.flatMap(Object.entries)) {
    variants.set(name, [...(variants.get(name) ?? []), member])
  }
  return toRecord([...variants].map(([name, members]) => [name, combine(members, keyword)]))
}

/** One schema out of several; undefined out of none. */
function combine(schemas: readonly unknown[], keyword: 'anyOf' | 'allOf'): unknown {
  const different = [...new Map(schemas.map(schema => [JSON.stringify(schema), schema])).values()]
  return different.length > 1 ? { [keyword]: different } : different[0]
}

/** An object of these members, one called `__proto__` included. */
export function toRecord(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  // Unlike an assignment, this defines what it is given.
  return Object.fromEntries(entries)
}
