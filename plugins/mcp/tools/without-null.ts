import { isObject } from '../message.ts'

type Definitions = Readonly<Record<string, unknown>>

/**
 * The schema without null, at any depth of choices and lists: a query and a header have no form for it, so that a
 * client which fills an optional argument with null means that it is left out. What is nothing but null stays.
 */
export function withoutNull(schema: unknown, definitions: Definitions, depth = 0): unknown {
  if (!isObject(schema) || depth > 10) return schema
  const { default: preset, ...rest } = schema
  const base = preset === null ? rest : schema
  return [fromReference, fromType, fromEnum, fromChoice('anyOf'), fromChoice('oneOf'), fromItems].reduce(
    (current, drop) => drop(current, definitions, depth + 1),
    base,
  )
}

type Drop = (
  schema: Record<string, unknown>,
  definitions: Definitions,
  depth: number,
) => Record<string, unknown>

// A definition may be shared with the body, where null is a value: what changes is written out here.
const fromReference: Drop = (schema, definitions, depth) => {
  const { $ref, ...siblings } = schema
  const target = typeof $ref === 'string' ? definitions[$ref.slice('#/$defs/'.length)] : undefined
  const dropped = withoutNull(target, definitions, depth)
  return isObject(dropped) && JSON.stringify(dropped) !== JSON.stringify(target)
    ? { ...dropped, ...siblings }
    : schema
}

const fromType: Drop = schema => {
  if (!Array.isArray(schema.type)) return schema
  const types = schema.type.filter(type => type !== 'null')
  if (types.length === 0) return schema
  return { ...schema, type: types.length === 1 ? types[0] : types }
}

const fromEnum: Drop = schema => {
  if (!Array.isArray(schema.enum)) return schema
  const values = schema.enum.filter(value => value !== null)
  return values.length > 0 ? { ...schema, enum: values } : schema
}

const fromChoice =
  (keyword: 'anyOf' | 'oneOf'): Drop =>
  (schema, definitions, depth) => {
    const { [keyword]: choices, ...rest } = schema
    if (!Array.isArray(choices)) return schema
    const kept = choices
      .filter(choice => !isObject(choice) || (choice.type !== 'null' && choice.const !== null))
      .map(choice => withoutNull(choice, definitions, depth))
    if (kept.length === 0) return schema
    const [only] = kept
    return kept.length === 1 && kept.length < choices.length && isObject(only)
      ? { ...only, ...rest }
      : { ...schema, [keyword]: kept }
  }

const fromItems: Drop = (schema, definitions, depth) =>
  isObject(schema.items) ? { ...schema, items: withoutNull(schema.items, definitions, depth) } : schema
