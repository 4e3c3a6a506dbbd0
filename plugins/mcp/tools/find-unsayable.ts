import type { z } from 'zod'
import type { CollectedRoute } from './collect.ts'
import { toFlatObject } from './flat-object.ts'
import { isZod } from './from-zod.ts'
import { createSchemaConverter } from './json-schema.ts'
import { isObjectSchema } from './output-schema.ts'
import { withoutNull } from './without-null.ts'

/** An argument of a URL whose schema does not take the text that it arrives as. */
export interface Unsayable {
  /** `querystring.limit` */
  readonly property: string
  readonly problem: string
  readonly remedy: string
}

/**
 * Finds the arguments of path and query that no URL can say: a URL holds texts, and zod takes a text for a number only
 * when it is told to. Told by the kinds of schemas alone, without a value being tried, so that refinements, formats and
 * enums raise no false alarm. Validators of plain JSON Schema coerce texts, but to no object.
 */
export function findUnsayable({ schema, shared }: CollectedRoute): readonly Unsayable[] {
  const parts = { params: schema.params, querystring: schema.querystring ?? schema.query }
  return Object.entries(parts).flatMap(([part, own]) => {
    if (own === undefined) return []
    const found = isZod(own) ? findInZod(own) : findInPlain(own, shared)
    return found.map(([name, verdict]) => ({
      property: `${part}.${name}`,
      problem: verdict.problem,
      remedy: verdict.remedy,
    }))
  })
}

interface Verdict {
  /** Whether some text passes all the same. */
  readonly isPartial: boolean
  readonly problem: string
  readonly remedy: string
}

type Found = readonly (readonly [string, Verdict])[]

const anObject: Verdict = {
  isPartial: false,
  problem: 'it is an object, which no text is',
  remedy: 'a property for each of its members',
}

function findInPlain(schema: unknown, shared: CollectedRoute['shared']): Found {
  const converter = createSchemaConverter(shared, 'input')
  const { properties } = toFlatObject(converter.convert(schema), converter)
  const definitions = converter.definitions()
  return Object.entries(properties).flatMap(([name, property]) =>
    isObjectSchema(withoutNull(property, definitions), converter) ? [[name, anObject] as const] : [],
  )
}

function findInZod(root: z.core.$ZodType): Found {
  return toShapes(root, 0).flatMap(shape =>
    Object.entries(shape).flatMap(([name, property]) => {
      const verdict = judge(property, 0)
      return verdict === null ? [] : [[name, verdict] as const]
    }),
  )
}

/** How deep schemas are looked through, since some contain themselves. */
const deepest = 10

// What a preprocess has made of the whole query is not known, so its properties are none of these.
function toShapes({ _zod: { def } }: z.core.$ZodType, depth: number): readonly z.core.$ZodLooseShape[] {
  const { type, shape, innerType, left, right, in: before } = def as Inner
  if (depth > deepest) return []
  if (type === 'object' && shape) return [shape]
  return [innerType, left, right, before].flatMap(inner => (inner ? toShapes(inner, depth + 1) : []))
}

/** The members by which kinds of schemas hold others. */
interface Inner {
  readonly type: z.core.$ZodTypeDef['type']
  readonly coerce?: boolean
  readonly shape?: z.core.$ZodLooseShape
  readonly innerType?: z.core.$ZodType
  readonly left?: z.core.$ZodType
  readonly right?: z.core.$ZodType
  readonly in?: z.core.$ZodType
  readonly element?: z.core.$ZodType
  readonly options?: readonly z.core.$ZodType[]
  readonly getter?: () => z.core.$ZodType
}

/** Null where some text passes, or where it cannot be told. */
function judge(schema: z.core.$ZodType | undefined, depth: number): Verdict | null {
  if (schema === undefined || depth > deepest) return null
  const inner = schema._zod.def as Inner
  const through = (next: z.core.$ZodType | undefined) => judge(next, depth + 1)
  switch (inner.type) {
    case 'optional':
    case 'nullable':
    case 'nonoptional':
    case 'default':
    case 'prefault':
    case 'readonly':
      return through(inner.innerType)
    case 'lazy':
      return through(inner.getter?.())
    case 'pipe':
      return through(inner.in)
    case 'intersection':
      return through(inner.left) ?? through(inner.right)
    case 'union':
      return judgeChoice((inner.options ?? []).map(through))
    case 'array':
      return judgeList(through(inner.element))
    case 'boolean':
      return inner.coerce ? everyTextIsTrue : refuses('boolean', 'z.stringbool()')
    case 'number':
    case 'bigint':
    case 'date':
      return inner.coerce ? null : refuses(inner.type, `z.coerce.${inner.type}()`)
    case 'literal':
    case 'enum':
      return judgeValues(schema._zod.values)
    case 'object':
    case 'record':
      return anObject
    default:
      return null
  }
}

const everyTextIsTrue: Verdict = {
  isPartial: true,
  problem: 'it reads every text as true, "false" as well',
  remedy: 'z.stringbool()',
}

function refuses(kind: string, remedy: string): Verdict {
  return { isPartial: false, problem: `it is a ${kind}, and refuses every text`, remedy }
}

function judgeChoice(verdicts: readonly (Verdict | null)[]): Verdict | null {
  const judged = verdicts.filter(verdict => verdict !== null)
  if (judged.length < verdicts.length) return null
  return judged.find(({ isPartial }) => isPartial) ?? judged[0] ?? null
}

function judgeList(item: Verdict | null): Verdict {
  const problem = item && !item.isPartial ? item.problem : 'a list of one arrives as a text, which it refuses'
  const remedy = `z.preprocess(value => [value].flat(), z.array(${item?.remedy ?? '…'}))`
  return { isPartial: item?.isPartial ?? true, problem, remedy }
}

function judgeValues(values: ReadonlySet<unknown> | undefined): Verdict | null {
  const kinds = [...(values ?? [])].map(value => typeof value)
  const isTyped = kinds.length > 0 && kinds.every(kind => kind === 'number' || kind === 'boolean')
  return isTyped ? refuses(kinds[0] ?? '', 'values that are texts, or a z.preprocess() before them') : null
}
