import Fastify, { type FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { type McpOptions, mcp } from '../../plugins/mcp/index.ts'
import { toyOptions } from './toy-notes.ts'

export interface PlainOptions {
  readonly mcp?: Partial<McpOptions>
  /** Default true; false: the same routes, none of them a tool. */
  readonly isExposed?: boolean
  readonly routes?: (app: FastifyInstance) => unknown
}

/**
 * An address book in plain JSON Schema, with `$ref` to shared schemas, validated and serialized by Fastify's own
 * defaults; undeclared members are refused rather than dropped.
 */
export async function createPlain(t: Test, options: PlainOptions = {}): Promise<{ app: FastifyInstance }> {
  const app = Fastify({ ajv: { customOptions: { removeAdditional: false, coerceTypes: 'array' } } })
  t.teardown(() => app.close())
  await app.register(mcp, { ...toyOptions, permissions: undefined, ...options.mcp })
  addSchemas(app)
  addRoutes(app, options.isExposed ?? true)
  await options.routes?.(app)
  return { app }
}

function addSchemas(app: FastifyInstance): void {
  app.addSchema({
    $id: 'person',
    type: 'object',
    properties: {
      name: { type: 'string' },
      nickname: { type: 'string', nullable: true },
      address: { $ref: '#/definitions/address' },
      friends: { type: 'array', items: { $ref: 'person#' } },
    },
    required: ['name'],
    additionalProperties: false,
    definitions: {
      address: {
        type: 'object',
        properties: { street: { type: 'string' }, country: { $ref: 'country#' } },
        additionalProperties: false,
      },
    },
  })
  app.addSchema({ $id: 'country', type: 'string', enum: ['br', 'es', 'pt'] })
}

function addRoutes(app: FastifyInstance, mcp: boolean): void {
  app.route({
    method: 'POST',
    url: '/people',
    schema: {
      operationId: 'people_add',
      summary: 'Add a person',
      body: { $ref: 'person#' },
      response: { 201: { type: 'object', properties: { data: { $ref: 'person#' } }, required: ['data'] } },
    },
    config: { scopes: ['notes:write'], mcp },
    handler: async (request, reply) => reply.code(201).send({ data: request.body }),
  })
  app.route({
    method: 'GET',
    url: '/people/:name',
    schema: {
      operationId: 'people_get',
      summary: 'Get a person',
      params: { type: 'object', properties: { name: { type: 'string', minLength: 2 } } },
      querystring: {
        type: 'object',
        properties: {
          fields: { type: 'array', items: { type: 'string', enum: ['name', 'address'] } },
          deep: { type: 'boolean' },
        },
        additionalProperties: false,
      },
      response: { 200: { type: 'object', additionalProperties: true } },
    },
    config: { scopes: [], mcp },
    handler: async request => ({ params: request.params, query: request.query }),
  })
}
