/** A change of what agents find, and whether a client that knew the surface before may stop working. */
export interface Change {
  readonly kind: 'breaking' | 'compatible'
  readonly text: string
}

export type Schema = Readonly<Record<string, unknown>>

/** `input`: what a client sends, so that accepting less breaks. `output`: what it gets, so that promising less does. */
export type Side = 'input' | 'output'

interface Pair {
  readonly path: string
  readonly before: Schema
  readonly after: Schema
  readonly side: Side
}

/** What changed between two JSON Schemas of one tool. */
export function compareSchemas(pair: Pair): readonly Change[] {
  const definitions = { before: toObject(pair.before.$defs), after: toObject(pair.after.$defs) }
  return compare(pair, definitions, 0)
}

type Definitions = Readonly<Record<'before' | 'after', Schema>>

function compare(
  { path, side, ...schemas }: Pair,
  definitions: Definitions,
  depth: number,
): readonly Change[] {
  const before = resolve(schemas.before, definitions.before)
  const after = resolve(schemas.after, definitions.after)
  if (depth > 20) return []
  const own = { path, before, after, side }
  const below = (name: string, pair: Pick<Pair, 'before' | 'after'>) =>
    compare({ path: `${path}${name}`, side, ...pair }, definitions, depth + 1)
  const shared = Object.keys(toObject(before.properties)).filter(name => name in toObject(after.properties))
  return [
    ...compareTypes(own),
    ...compareEnums(own),
    ...compareProperties(own),
    ...(side === 'input' ? compareLimits(own) : []),
    ...shared.flatMap(name =>
      below(`.${name}`, { before: member(before.properties, name), after: member(after.properties, name) }),
    ),
    ...(before.items && after.items
      ? below('[]', { before: toObject(before.items), after: toObject(after.items) })
      : []),
    ...compareChoices(own, below),
  ]
}

function compareTypes({ path, before, after, side }: Pair): readonly Change[] {
  const [old, now] = [toTypes(before), toTypes(after)]
  const [narrow, wide] = side === 'input' ? [old, now] : [now, old]
  const text = `${path}: type ${old?.join('|') ?? 'any'} became ${now?.join('|') ?? 'any'}`
  if (JSON.stringify(old) === JSON.stringify(now)) return []
  const isKept = wide === null || narrow?.every(type => isAmong(type, wide))
  return [{ kind: isKept ? 'compatible' : 'breaking', text }]
}

function compareEnums({ path, before, after, side }: Pair): readonly Change[] {
  const [old, now] = [toValues(before), toValues(after)]
  if (old === null && now === null) return []
  if (old === null)
    return [
      { kind: side === 'input' ? 'breaking' : 'compatible', text: `${path}: only some values from now on` },
    ]
  if (now === null)
    return [{ kind: side === 'input' ? 'compatible' : 'breaking', text: `${path}: any value from now on` }]
  return [
    ...old
      .filter(value => !now.includes(value))
      .map(value => ({ kind: 'breaking', text: `${path}: value ${value} removed` }) as const),
    ...now
      .filter(value => !old.includes(value))
      .map(value => ({ kind: 'compatible', text: `${path}: value ${value} added` }) as const),
  ]
}

function compareProperties({ path, before, after, side }: Pair): readonly Change[] {
  const [old, now] = [Object.keys(toObject(before.properties)), Object.keys(toObject(after.properties))]
  const [needed, needs] = [toList(before.required), toList(after.required)]
  const changes: Change[] = []
  for (const name of old) if (!now.includes(name)) changes.push(breaks(`${path}.${name} removed`))
  for (const name of now) {
    const isNew = !old.includes(name)
    if (side === 'input' && needs.includes(name) && !needed.includes(name))
      changes.push(breaks(`${path}.${name} is required${isNew ? ' and new' : ' from now on'}`))
    else if (isNew) changes.push({ kind: 'compatible', text: `${path}.${name} added` })
    else if (side === 'output' && needed.includes(name) && !needs.includes(name))
      changes.push(breaks(`${path}.${name} may be absent from now on`))
  }
  if (side === 'input' && before.additionalProperties !== false && after.additionalProperties === false)
    changes.push(breaks(`${path}: other members are refused from now on`))
  return changes
}

const lowerLimits = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems']
const upperLimits = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems']

function compareLimits({ path, before, after }: Pair): readonly Change[] {
  const changes: Change[] = []
  const say = (isTighter: boolean, text: string) =>
    changes.push({ kind: isTighter ? 'breaking' : 'compatible', text })
  for (const name of [...lowerLimits, ...upperLimits]) {
    const isLower = lowerLimits.includes(name)
    const free = isLower ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
    const [old, now] = [toNumber(before[name], free), toNumber(after[name], free)]
    if (old !== now) say(isLower ? now > old : now < old, `${path}: ${name} ${old} became ${now}`)
  }
  for (const name of ['pattern', 'format'])
    if (before[name] !== after[name])
      say(
        after[name] !== undefined,
        `${path}: ${name} ${before[name] ?? 'none'} became ${after[name] ?? 'none'}`,
      )
  return changes
}

// Alternatives have no names: the same number of them is compared one by one.
function compareChoices(
  { path, before, after, side }: Pair,
  below: (name: string, pair: Pick<Pair, 'before' | 'after'>) => readonly Change[],
): readonly Change[] {
  return ['anyOf', 'oneOf', 'allOf'].flatMap(keyword => {
    const [old, now] = [toSchemas(before[keyword]), toSchemas(after[keyword])]
    if (old.length === now.length)
      return old.flatMap((one, index) => below(`(${index + 1})`, { before: one, after: now[index] ?? {} }))
    const isLess = now.length < old.length
    const isBreaking = side === 'input' ? isLess || old.length === 0 : !isLess || now.length === 0
    return [{ kind: isBreaking ? 'breaking' : 'compatible', text: `${path}: another number of alternatives` }]
  })
}

function breaks(text: string): Change {
  return { kind: 'breaking', text }
}

function resolve(schema: Schema, definitions: Schema): Schema {
  const name = typeof schema.$ref === 'string' ? schema.$ref.replace('#/$defs/', '') : null
  return name === null ? schema : { ...toObject(definitions[name]), ...schema }
}

function toTypes({ type }: Schema): readonly string[] | null {
  return type === undefined ? null : [type].flat().map(String).sort()
}

/** Every integer is a number. */
function isAmong(type: string, types: readonly string[]): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'))
}

function toValues(schema: Schema): readonly string[] | null {
  if ('const' in schema) return [JSON.stringify(schema.const)]
  return Array.isArray(schema.enum) ? schema.enum.map(value => JSON.stringify(value)) : null
}

function member(schemas: unknown, name: string): Schema {
  return toObject(toObject(schemas)[name])
}

function toSchemas(value: unknown): readonly Schema[] {
  return Array.isArray(value) ? value.map(toObject) : []
}

function toList(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function toNumber(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise
}

export function toObject(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {}
}
