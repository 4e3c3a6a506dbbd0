import fastJsonStringify, { type AnySchema } from 'fast-json-stringify'
import type { FastifyInstance, FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify'
import fp from 'fastify-plugin'
import { z } from 'zod'
import { toResponseSchema } from '../lib/http/response-schema.ts'
import { toValidationProblem } from '../lib/problem/validation-problem.ts'

/**
 * Routes declare zod schemas: requests are validated with them, and answers are printed by a serializer that
 * is compiled from their JSON Schema, which is several times faster than encoding with zod and drops every
 * member that is not declared just the same.
 */
export const schemas = fp(
  async (app: FastifyInstance) => {
    app.setValidatorCompiler(validatorCompiler)
    app.setSerializerCompiler(serializerCompiler)
  },
  { name: 'schemas' },
)

const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart, method, url }) => {
  if (!(schema instanceof z.ZodType))
    throw new TypeError(`${method} ${url}: the schema of ${httpPart} is not a zod schema`)
  const part = partNames[httpPart ?? ''] ?? 'request'

  return input => {
    const result = schema.safeParse(input)
    return result.success ? { value: result.data } : { error: toValidationProblem(result.error, part, input) }
  }
}

/** What callers know the parts of a request as. */
const partNames: Readonly<Record<string, string>> = {
  body: 'body',
  querystring: 'query',
  params: 'path',
  headers: 'headers',
}

const serializerCompiler: FastifySerializerCompiler<z.ZodType> = ({ schema, method, url }) => {
  if (!(schema instanceof z.ZodType))
    throw new TypeError(`${method} ${url}: the schema of an answer is not a zod schema`)
  const known = serializers.get(schema)
  if (known) return known
  // Both types describe draft 7; they differ in how narrowly they write `type`.
  const serializer = fastJsonStringify(toResponseSchema(schema) as AnySchema)
  serializers.set(schema, serializer)
  return serializer
}

/** Compiling is a good part of a start; several routes answer with the same schema, and so does every application. */
const serializers = new WeakMap<z.ZodType, ReturnType<FastifySerializerCompiler<z.ZodType>>>()
