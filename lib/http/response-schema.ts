import { z } from 'zod'

type JsonSchema = z.core.JSONSchema.BaseSchema

/**
 * The JSON Schema by which a zod schema's output is printed with fast-json-stringify. Throws if some part of
 * it has none, such as a date or a transform.
 */
export function toResponseSchema(schema: z.ZodType): JsonSchema {
  return withPlainNulls(z.toJSONSchema(schema, { io: 'output', target: 'draft-7' }))
}

/**
 * zod describes most nullable values as `anyOf` of the value and null, for which the serializer would run a
 * validator on every value it prints. It understands `nullable` without one.
 */
function withPlainNulls(schema: JsonSchema): JsonSchema {
  const printed: JsonSchema = {}
  for (const [key, value] of Object.entries(schema)) printed[key] = mapSchemas(value)

  const [value, ...rest] = printed.anyOf?.filter(isSchema).filter(one => one.type !== 'null') ?? []
  const nullable = printed.anyOf?.length === 2 && rest.length === 0
  if (!value || !nullable || value.$ref) return printed
  const { anyOf: _, ...own } = printed
  return { ...own, ...value, nullable: true }
}

function mapSchemas(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mapSchemas)
  return isSchema(value) ? withPlainNulls(value) : value
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
