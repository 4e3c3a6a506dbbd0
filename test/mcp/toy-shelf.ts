import Fastify, { type FastifyInstance } from 'fastify'
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Test } from 'tap'
import { z } from 'zod'
import { type McpOptions, mcp } from '../../plugins/mcp/index.ts'
import { refuse } from './toy-callers.ts'
import { guard, toyOptions, userOf } from './toy-notes.ts'

export interface Book {
  readonly title: string
  readonly owner: string
  readonly addedAt: string
  readonly version: number
}

/** What reached a handler of the shelf. */
export interface Visit {
  readonly route: string
  readonly params: unknown
  readonly query: unknown
  readonly ifMatch: string | undefined
  readonly key: string | undefined
}

export interface Shelf {
  readonly app: FastifyInstance
  /** By id; a test may change them. */
  readonly books: Map<string, Book>
  readonly visits: Visit[]
}

export interface ShelfOptions {
  readonly mcp?: Partial<McpOptions>
  readonly routes?: (api: FastifyInstance) => unknown
}

export const keys = [
  'the first key of the shelf, 32 characters',
  'the second key of the shelf, 32 characters',
]

const book = z.object({ id: z.string(), title: z.string(), added_at: z.string(), owner: z.string() })
const params = z.object({ book_id: z.string() })
const mine = { scopes: ['notes:read'], permission: 'notes:view' } as const
const sources = { tool: 'books_list', labels: ['title'] } as const

/** A shelf of books on a bare Fastify: resources, a preview with an ETag, a removal that has to be confirmed. */
export async function createShelf(t: Test, options: ShelfOptions = {}): Promise<Shelf> {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  const addedAt = '2026-11-03T10:00:00.000Z'
  const books = new Map<string, Book>([
    ['b1', { title: 'Fatura 4711', owner: 'usr_ana', addedAt, version: 1 }],
    ['b2', { title: 'São Paulo à noite', owner: 'usr_ana', addedAt, version: 1 }],
    ['b9', { title: 'Not for ana', owner: 'usr_rob', addedAt, version: 1 }],
  ])
  const visits: Visit[] = []
  await app.register(mcp, { ...toyOptions, confirmation: { keys: keys.slice(0, 1) }, ...options.mcp })
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  await app.register(
    async api => {
      guard(api)
      api.addHook('preHandler', async request => {
        if (request.headers['x-workspace-id'] === 'closed') throw refuse(409)
      })
      addRoutes(api, { books, visits })
      await options.routes?.(api)
    },
    { prefix: '/api' },
  )
  return { app, books, visits }
}

function addRoutes(parent: FastifyInstance, { books, visits }: Omit<Shelf, 'app'>): void {
  const app = parent.withTypeProvider<ZodTypeProvider>()
  const find = (id: string, person: string | undefined): Book => {
    const found = books.get(id)
    if (found === undefined || found.owner !== person) throw refuse(404)
    return found
  }
  const print = (id: string, { title, owner, addedAt }: Book) => ({ id, title, owner, added_at: addedAt })
  app.addHook('onRoute', route => {
    const { handler } = route
    route.handler = function (request, reply) {
      const { params, query, headers } = request
      const key = headers['idempotency-key']
      visits.push({
        route: String(request.routeOptions.schema?.operationId ?? 'secrets'),
        params,
        query,
        ifMatch: headers['if-match'],
        key: typeof key === 'string' ? key : undefined,
      })
      return handler.call(this, request, reply)
    }
  })

  app.route({
    method: 'GET',
    url: '/books',
    schema: {
      operationId: 'books_list',
      summary: 'List books',
      querystring: z.strictObject({ limit: z.coerce.number().int().max(500).default(500) }),
      response: {
        200: z.object({ data: z.array(book), meta: z.object({ next_cursor: z.string().nullable() }) }),
      },
    },
    config: { ...mine, mcp: { resource: { uri: 'toy://shelf/books', name: 'books', title: 'All books' } } },
    handler: async request => {
      const own = [...books].filter(([, { owner }]) => owner === userOf(request)?.id)
      const { limit } = request.query
      const data = own.slice(0, limit).map(([id, found]) => print(id, found))
      return { data, meta: { next_cursor: own.length > limit ? 'more' : null } }
    },
  })

  app.route({
    method: 'GET',
    url: '/books/:book_id',
    schema: {
      operationId: 'books_get',
      summary: 'Get a book',
      description: 'One book with its title.',
      params,
      response: { 200: z.object({ data: book }) },
    },
    config: {
      ...mine,
      mcp: { resource: { uri: 'toy://shelf/books/{book_id}', size: 7, complete: { book_id: sources } } },
    },
    handler: async (request, reply) => {
      const id = request.params.book_id
      const found = find(id, userOf(request)?.id)
      reply.header('etag', `"${found.version}"`)
      return { data: print(id, found) }
    },
  })

  app.route({
    method: 'DELETE',
    url: '/books/:book_id',
    schema: {
      operationId: 'books_delete',
      summary: 'Remove a book',
      params,
      querystring: z.strictObject({
        reason: z.enum(['old', 'spam']).optional(),
        weight: z.coerce.number().optional(),
      }),
      headers: z.object({ 'if-match': z.string().optional(), 'idempotency-key': z.string().optional() }),
      response: { 204: z.null() },
    },
    config: {
      scopes: ['notes:write'],
      permission: 'notes:edit',
      mcp: { preview: 'books_get', question: 'Remove the book {data.title}, added {data.added_at:date}?' },
    },
    handler: async (request, reply) => {
      const id = request.params.book_id
      const found = find(id, userOf(request)?.id)
      const { 'if-match': ifMatch } = request.headers
      if (ifMatch !== undefined && ifMatch !== `"${found.version}"`) throw refuse(412)
      books.delete(id)
      return reply.code(204).send(null)
    },
  })

  app.route({
    method: 'GET',
    url: '/guide',
    schema: {
      operationId: 'guide_get',
      summary: 'The guide',
      produces: ['text/markdown'],
      response: { 200: z.string() },
    },
    config: {
      scopes: [],
      mcp: { tool: false, resource: { uri: 'toy://shelf/books/guide', mimeType: 'text/markdown', size: 7 } },
    },
    serializerCompiler: () => String,
    handler: async (_request, reply) => reply.type('text/markdown').send('# Guide'),
  })

  for (const url of ['/', '/secrets', '/books/:book_id/pages'])
    app.get(url, { config: { scopes: [] } }, async () => ({ secret: true }))
}
