import { z } from 'zod'
import type { Side } from './json-schema.ts'

type ZodSchema = z.core.$ZodType
type Described = Readonly<Record<string, unknown>>

/** True for a schema made by zod 4, classic or mini. */
export function isZod(schema: unknown): schema is ZodSchema {
  return typeof schema === 'object' && schema !== null && '_zod' in schema
}

/**
 * One side of a zod schema as JSON Schema: what is really sent, so that a date is its text. Throws an Error that names
 * the field which JSON has no form for, and what to write instead.
 */
export function fromZod(schema: ZodSchema, side: Side): Described {
  const known = converted[side].get(schema)
  if (known) return known
  let strange: readonly Strange[] = []
  const { $schema: _dialect, ...root } = z.toJSONSchema(schema, {
    io: side,
    target: 'draft-2020-12',
    unrepresentable: ({ zodSchema, path, message }) => {
      const text = toText(zodSchema, side)
      strange = [...strange, { at: path.map(String), schema: zodSchema, message, isText: text !== null }]
      return text ?? {}
    },
    override: ({ zodSchema, jsonSchema, path }) => {
      shorten(jsonSchema)
      if (side === 'input' || !isCodec(zodSchema)) return
      const inside = strange.filter(({ at }) => path.every((step, index) => at[index] === String(step)))
      strange = strange.filter(one => !inside.includes(one))
      describeCodec(zodSchema, jsonSchema, { isOutOfJson: inside.length > 0 })
    },
  })
  const refused = strange.find(({ isText }) => !isText)
  if (refused) throw new Error(toComplaint(refused, side))
  converted[side].set(schema, root)
  return root
}

/** What JSON has no form for. */
interface Strange {
  readonly at: readonly string[]
  readonly schema: ZodSchema
  readonly message: string
  /** There is a text that stands for it. */
  readonly isText: boolean
}

/** A zod schema never changes, and zod takes its time over each. Nothing writes into what stands here. */
const converted: Readonly<Record<Side, WeakMap<ZodSchema, Described>>> = {
  input: new WeakMap(),
  output: new WeakMap(),
}

// `JSON.stringify` prints a date as a text, and refuses a bigint; a text is read as either only where zod coerces it.
function toText({ _zod: { def } }: ZodSchema, side: Side): { type: 'string' } | null {
  const isCoerced = 'coerce' in def && def.coerce === true
  if (def.type === 'date' && (side === 'output' || isCoerced)) return dateTime
  return def.type === 'bigint' && side === 'input' && isCoerced ? wholeNumber : null
}

const dateTime = { type: 'string', format: 'date-time' } as const
/** As a text: a number of JSON is exact up to 2^53 only. */
const wholeNumber = { type: 'string', pattern: '^-?\\d+$' } as const

function isCodec(schema: ZodSchema): schema is z.core.$ZodCodec {
  return schema._zod.traits.has('$ZodCodec')
}

// A serializer that encodes sends the inner side, and one that is compiled from JSON Schema the outer side, which it can
// only where that is JSON.
function describeCodec(
  codec: z.core.$ZodCodec,
  described: Record<string, unknown>,
  { isOutOfJson }: { readonly isOutOfJson: boolean },
): void {
  const { title, description, ...outer } = described
  const inner = fromZod(codec._zod.def.in, 'output')
  const printed = JSON.stringify(inner)
  if (printed === JSON.stringify(outer)) return
  for (const keyword of Object.keys(described)) delete described[keyword]
  // A reference would lead astray from here; without one it says less, and nothing wrong.
  const own = printed.includes('"$ref"') ? {} : inner
  Object.assign(
    described,
    isOutOfJson ? own : { anyOf: [own, outer] },
    title !== undefined && { title },
    description !== undefined && { description },
  )
}

function toComplaint({ at, schema, message }: Strange, side: Side): string {
  const remedy = remedies[side][schema._zod.def.type] ?? 'a type that JSON has'
  return `${toField(at) || 'the whole'}: ${message}; what can be sent is ${remedy}`
}

const remedies: Readonly<Record<Side, Readonly<Partial<Record<string, string>>>>> = {
  input: {
    date: 'z.coerce.date() or z.iso.datetime()',
    bigint: 'z.coerce.bigint()',
    map: 'z.record(), with a transform',
    set: 'z.array(), with a transform',
    custom: 'a type that JSON has, such as z.string(), with a transform or .pipe()',
  },
  output: {
    transform: 'a z.codec(), or what the handler has transformed itself',
    bigint: 'z.string(), or a z.codec() of one',
    map: 'z.record(), or a z.codec() of one',
    set: 'z.array(), or a z.codec() of one',
    custom: 'a type that JSON has, or a z.codec() of one',
  },
}

// `data[].at` for the place in the JSON Schema where zod stopped.
function toField(at: readonly string[]): string {
  let field = ''
  for (let index = 0; index < at.length; index++) {
    const step = at[index]
    if (step === 'properties') field += `${field && '.'}${at[++index]}`
    else if (step === 'items' || step === 'prefixItems') field += '[]'
    else if (step === 'additionalProperties') field += `${field && '.'}*`
  }
  return field
}

// What zod adds by itself: the pattern of a known format repeats it at the length of a paragraph, and an integer's
// bounds are those of every JSON number.
function shorten(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.pattern !== undefined && knownFormats.has(String(schema.format))) delete schema.pattern
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
}

const knownFormats = new Set(['date-time', 'date', 'time', 'email', 'uuid', 'ipv4', 'ipv6'])
