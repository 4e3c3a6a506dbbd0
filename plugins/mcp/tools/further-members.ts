import type { FlatObject } from './flat-object.ts'
import { toRecord } from './flat-object.ts'
import type { JsonSchema } from './json-schema.ts'

/**
 * The keywords for the members that a place does not name; what it says of every name must not hold for the arguments of
 * the other places.
 */
export function toFurther(part: FlatObject | null, elsewhere: readonly string[]): JsonSchema {
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

/** How many arguments there may be: all places are counted as one, so each allows for what the others may add. */
export function toBounds(parts: readonly FlatObject[]): JsonSchema {
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
