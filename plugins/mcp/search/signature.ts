import { isObject } from '../message.ts'
import type { JsonSchema } from '../tools/json-schema.ts'

/** How many words of an `enum` are shown. */
const shown = 8

/**
 * A tool's arguments in one line, such as `note_id: string, tags?: string[]`; '' where it has none. Members of any name
 * stand at its end: `[name]: string`.
 */
export function toSignature(schema: JsonSchema): string {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required : []
  const named = Object.entries(properties).map(
    ([name, property]) => `${name}${required.includes(name) ? '' : '?'}: ${toType(property)}`,
  )
  return [...named, ...toFurther(schema)].join(', ')
}

function toFurther({ patternProperties, additionalProperties }: JsonSchema): readonly string[] {
  const patterns = isObject(patternProperties) ? Object.values(patternProperties) : []
  const others =
    additionalProperties === undefined || additionalProperties === false ? [] : [additionalProperties]
  const types = [...patterns, ...others].map(schema => toType(schema))
  return types.length === 0 ? [] : [`[name]: ${toChoice(types)}`]
}

function toType(property: unknown, depth = 0): string {
  if (!isObject(property) || depth > 3) return 'any'
  if (property.const !== undefined) return JSON.stringify(property.const)
  if (Array.isArray(property.enum)) return toChoice(property.enum.map(value => JSON.stringify(value)))
  const choices = [property.anyOf, property.oneOf].find(Array.isArray)
  if (choices) return toChoice(choices.map(choice => toType(choice, depth + 1)))
  const types = [property.type].flat().filter(type => typeof type === 'string')
  return types.length === 0 ? 'any' : toChoice(types.map(type => toOne(type, property, depth)))
}

function toOne(type: string, { items }: Record<string, unknown>, depth: number): string {
  if (type !== 'array') return type
  const item = toType(items, depth + 1)
  return item.includes(' ') ? `(${item})[]` : `${item}[]`
}

function toChoice(all: readonly string[]): string {
  const different = [...new Set(all)]
  const first = different.slice(0, shown).join(' | ')
  return different.length > shown ? `${first} | …` : first
}
