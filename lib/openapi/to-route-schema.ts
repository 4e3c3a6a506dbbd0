import type { FastifySchema } from 'fastify'
import { z } from 'zod'

type JsonSchema = z.core.JSONSchema.BaseSchema

/** What a route says of itself that a reader of the document wants to know. */
export interface RouteFacts {
  readonly scopes: readonly string[]
  readonly permission: string | undefined
}

/**
 * A route's declaration with its zod schemas as JSON Schema 2020-12, which is what OpenAPI 3.1 holds, and with what
 * its token must cover. Requests are described as they are sent (defaults may be left out), answers as they arrive.
 */
export function toRouteSchema(schema: FastifySchema, { scopes, permission }: RouteFacts): FastifySchema {
  const described: Record<string, unknown> = { ...schema, security: [{ bearer: scopes }] }
  for (const part of ['params', 'querystring', 'headers', 'body'] as const) {
    const jsonSchema = toJsonSchema(schema[part], 'input')
    if (jsonSchema === null || isEmptyObject(jsonSchema)) delete described[part]
    else described[part] = jsonSchema
  }
  described.response = toResponses(schema)
  if (permission !== undefined) described['x-permission'] = permission
  return described
}

function toResponses({ response, produces }: FastifySchema): Record<string, JsonSchema> {
  if (response === undefined || response === null) {
    // A file: OpenAPI 3.1 describes what is not JSON by its media type alone.
    return { 200: { description: `The content, as ${(produces ?? []).join(' or ')}.` } }
  }
  const entries = Object.entries(response).map(([status, schema]): [string, JsonSchema] => {
    const jsonSchema = toJsonSchema(schema, 'output') ?? {}
    return [status, { ...jsonSchema, description: jsonSchema.description ?? (meanings[status] || 'Done.') }]
  })
  return Object.fromEntries(entries)
}

const meanings: Readonly<Record<string, string>> = {
  200: 'What was asked for.',
  201: 'Created; Location has its URL.',
  202: 'Accepted; Location has the URL of the operation that does it.',
  204: 'Done; there is nothing to tell.',
}

function toJsonSchema(schema: unknown, io: 'input' | 'output'): JsonSchema | null {
  if (!(schema instanceof z.ZodType)) return null
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' })
  return jsonSchema
}

function isEmptyObject({ type, properties }: JsonSchema): boolean {
  return type === 'object' && Object.keys(properties ?? {}).length === 0
}
