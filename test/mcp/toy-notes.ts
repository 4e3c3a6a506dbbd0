import Fastify, { type FastifyInstance, type FastifyRequest, type FastifyServerOptions } from 'fastify'
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Test } from 'tap'
import { z } from 'zod'
import { type Caller, type McpOptions, mcp } from '../../plugins/mcp/index.ts'
import { authenticate, limit, permissionsOf, refuse } from './toy-callers.ts'
import { currentWay } from './ways.ts'

export const metadataUrl = 'https://api.test/.well-known/oauth-protected-resource/mcp'

/** The options of every toy endpoint, unless a test says otherwise. */
export const toyOptions: McpOptions = {
  serverInfo: { name: 'toys', title: 'Toys', version: '1.2.3' },
  instructions: 'Tools for the toy notes.',
  authenticate,
  limit,
  permissions: permissionsOf,
  resourceMetadataUrl: metadataUrl,
  allowedOrigins: ['https://app.test'],
  forwardHeaders: ['x-workspace-id'],
  get dispatch() {
    return currentWay()
  },
}

export interface ToyOptions {
  readonly mcp?: Partial<McpOptions>
  readonly server?: FastifyServerOptions
  /** Runs before the plugin is registered. */
  readonly before?: (app: FastifyInstance) => void
  /** Routes below /api that are no tools. */
  readonly neighbours?: readonly string[]
  /** More routes, beside the notes. */
  readonly routes?: (app: FastifyInstance) => unknown
}

/** What a route saw of each request that reached its handler. */
export interface Reached {
  readonly route: string
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly user: string | null
}

export interface Toy {
  readonly app: FastifyInstance
  readonly reached: Reached[]
}

/** A notes API on a bare Fastify, zod routes, with the plugin. Closed when the test ends. */
export async function createNotes(t: Test, options: ToyOptions = {}): Promise<Toy> {
  const app = Fastify({ forceCloseConnections: true, ...options.server })
  t.teardown(() => app.close())
  const reached: Reached[] = []
  options.before?.(app)
  await app.register(mcp, { ...toyOptions, ...options.mcp })
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  const { neighbours = ['/', '/secrets', '/notes/', '/notes/:note_id/raw', '/notes/:note_id/'] } = options
  await app.register(
    async api => {
      notes(guard(api), reached)
      addNeighbours(api, neighbours, reached)
    },
    { prefix: '/api' },
  )
  await options.routes?.(app)
  return { app, reached }
}

const users = new WeakMap<FastifyRequest, Caller>()

/** Who makes a request to a toy route; null where nobody was asked for. */
export function userOf(request: FastifyRequest): Caller | null {
  return users.get(request) ?? null
}

/** The API's own checks, as an application has them: identity, then scope, then permission. */
export function guard(api: FastifyInstance): FastifyInstance {
  api.setErrorHandler((error: Error & { statusCode?: number; headers?: object }, _request, reply) => {
    const status = error.statusCode ?? 500
    const code = status === 400 ? 'validation_failed' : `code_${status}`
    return reply
      .code(status)
      .headers({ ...error.headers })
      .type('application/problem+json')
      .send(JSON.stringify({ code, status, detail: error.message }))
  })
  api.addHook('onRequest', async (request, reply) => {
    const { scopes = [], permission } = request.routeOptions.config
    // Over REST the toys know one token, and it is ana's.
    const caller = request.mcp ? request.mcp.caller : authenticate(request)
    users.set(request, caller)
    if (!scopes.every(scope => caller.scopes.includes(scope))) {
      const challenge = `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`
      throw refuse(403, { 'WWW-Authenticate': challenge })
    }
    if (permission && !permissionsOf(caller).has(permission))
      return reply.code(403).send(JSON.stringify({ code: 'forbidden', status: 403, detail: permission }))
  })
  return api
}

const note = z.object({ id: z.string(), title: z.string(), tags: z.array(z.string()) })
const answer = z.object({ data: note })
const read = { scopes: ['notes:read'], permission: 'notes:view', mcp: true } as const
const write = { scopes: ['notes:write'], permission: 'notes:edit', mcp: true } as const
const params = z.object({ note_id: z.string() })

function notes(parent: FastifyInstance, reached: Reached[]): void {
  const app = parent.withTypeProvider<ZodTypeProvider>()
  const record = (route: string, request: FastifyRequest) => {
    const { params, query, body } = request
    reached.push({ route, params, query, body, user: userOf(request)?.id ?? null })
  }
  const find = (id: string) => {
    if (id === 'missing') throw refuse(404)
    return { data: { id, title: `Note ${id}`, tags: [] } }
  }

  app.route({
    method: 'GET',
    url: '/notes',
    schema: {
      operationId: 'notes_list',
      summary: 'List notes',
      description: 'Lists the notes of the caller.',
      querystring: z.strictObject({
        q: z.string().optional(),
        tag: z.preprocess(value => [value].flat(), z.array(z.string())).optional(),
        limit: z.coerce.number().int().min(1).max(100).default(20),
      }),
      response: { 200: z.object({ data: z.array(note) }) },
    },
    config: read,
    handler: async request => {
      record('notes_list', request)
      const { q = '', tag = [], limit } = request.query
      return { data: [{ id: 'n1', title: `${q} ${limit}`, tags: tag }] }
    },
  })

  app.route({
    method: 'GET',
    url: '/notes/:note_id',
    schema: { operationId: 'notes_get', summary: 'Get a note', params, response: { 200: answer } },
    config: read,
    handler: async request => {
      record('notes_get', request)
      return find(request.params.note_id)
    },
  })

  app.route({
    method: 'POST',
    url: '/notes',
    schema: {
      operationId: 'notes_create',
      summary: 'Create a note',
      body: z.strictObject({ title: z.string().min(1), tags: z.array(z.string()).default([]) }),
      headers: z.object({ 'idempotency-key': z.string().optional() }),
      response: { 201: answer },
    },
    config: write,
    handler: async (request, reply) => {
      record('notes_create', request)
      return reply.code(201).send({ data: { id: 'n2', ...request.body } })
    },
  })

  app.route({
    method: 'PATCH',
    url: '/notes/:note_id',
    schema: {
      operationId: 'notes_update',
      summary: 'Update a note',
      params,
      body: z.strictObject({ title: z.string().optional(), tags: z.array(z.string()).optional() }),
      headers: z.object({ 'if-match': z.string().optional(), 'x-secret': z.string().optional() }),
      response: { 200: answer },
    },
    config: write,
    handler: async request => {
      record('notes_update', request)
      if (request.headers['if-match'] === '"0"') throw refuse(412)
      const { title = 'kept', tags = [] } = request.body
      return { data: { id: request.params.note_id, title, tags } }
    },
  })

  app.route({
    method: 'PUT',
    url: '/notes/:note_id/read',
    schema: {
      operationId: 'notes_mark_read',
      summary: 'Mark a note as read',
      params,
      response: { 204: z.null() },
    },
    config: write,
    handler: async (request, reply) => {
      record('notes_mark_read', request)
      return reply.code(204).send(null)
    },
  })

  app.route({
    method: 'DELETE',
    url: '/notes/:note_id',
    schema: {
      operationId: 'notes_delete',
      summary: 'Delete a note',
      params,
      querystring: z.strictObject({ reason: z.enum(['spam', 'old']).optional() }),
      response: { 204: z.null() },
    },
    config: write,
    handler: async (request, reply) => {
      record('notes_delete', request)
      return reply.code(204).send(null)
    },
  })
}

/** What only REST offers, and what a hostile id would want to reach. */
function addNeighbours(app: FastifyInstance, urls: readonly string[], reached: Reached[]): void {
  for (const url of urls) {
    for (const method of ['GET', 'PATCH', 'PUT', 'DELETE']) {
      app.route({
        method,
        url,
        config: { scopes: [] },
        handler: async ({ params, query, body }) => {
          reached.push({ route: `${method} ${url}`, params, query, body, user: null })
          return { secret: true }
        },
      })
    }
  }
}
