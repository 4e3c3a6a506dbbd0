import { isObject } from '../message.ts'

/**
 * Whether a JSON Schema says of every part of what it takes which type that is. A serializer compiled from one that does
 * not, such as Fastify's own, prints the word `undefined` for a function or a hole in a list, which is no JSON.
 */
export function isTyped(schema: unknown): boolean {
  if (!isObject(schema)) return false
  const isNamed = ['type', '$ref', 'const', ...choices].some(keyword => Object.hasOwn(schema, keyword))
  return isNamed && toParts(schema).every(isTyped)
}

const choices = ['anyOf', 'oneOf', 'allOf'] as const

function toParts(schema: Record<string, unknown>): readonly unknown[] {
  const named = [schema.properties, schema.patternProperties, schema.$defs].flatMap(members =>
    isObject(members) ? Object.values(members) : [],
  )
  const listed = [...choices, 'prefixItems'].flatMap(keyword => {
    const list = schema[keyword]
    return Array.isArray(list) ? list : []
  })
  const others = [schema.items, schema.additionalProperties].filter(
    part => part !== undefined && part !== false,
  )
  return [...named, ...listed, ...others]
}
