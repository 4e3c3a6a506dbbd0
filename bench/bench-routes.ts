import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'

export const querystring = z.strictObject({ limit: z.coerce.number().int().min(1).max(100).default(20) })

const text = { type: 'string' } as const
const item = {
  type: 'object',
  properties: { id: text, subject: text, from: text, received_at: text, read: { type: 'boolean' } },
  required: ['id', 'subject', 'from', 'received_at', 'read'],
} as const
export const page = {
  type: 'object',
  properties: {
    data: { type: 'array', items: item },
    meta: {
      type: 'object',
      properties: { next_cursor: { type: ['string', 'null'] } },
      required: ['next_cursor'],
    },
  },
  required: ['data', 'meta'],
} as const

/** What the routes list. */
export const messages = Array.from({ length: 100 }, (_, index) => ({
  id: `eml_${String(index).padStart(26, '0')}`,
  subject: `Fatura ${4_700 + index} com vencimento em dezembro`,
  from: `cobranca${index}@fornecedor.test`,
  received_at: '2026-11-03T12:00:00.000Z',
  read: index % 2 === 0,
}))

/**
 * So many list routes of about 3 KB in memory, `emails_list` first; every one is a tool. The query is zod's; the
 * answer's plain JSON Schema goes to fast-json-stringify, for every way alike.
 */
export function addRoutes(
  app: FastifyInstance,
  {
    tools,
    authenticate,
  }: { readonly tools: number; readonly authenticate: (request: FastifyRequest) => unknown },
): void {
  for (const name of toNames(tools)) {
    app.route<{ Querystring: z.output<typeof querystring> }>({
      method: 'GET',
      url: `/api/${name}`,
      schema: {
        operationId: name,
        summary: 'List e-mails',
        description: 'Lists the e-mails of the workspace, newest first, a page at a time.',
        querystring,
        response: { 200: page },
      },
      config: { scopes: ['emails:read'], mcp: true },
      validatorCompiler: () => data => {
        const parsed = querystring.safeParse(data)
        return parsed.success ? { value: parsed.data } : { error: parsed.error }
      },
      onRequest: async request => {
        if (!request.mcp) authenticate(request)
      },
      handler: async request => listMessages(request.query),
    })
  }
}

export function listMessages({ limit }: z.output<typeof querystring>) {
  return { data: messages.slice(0, limit), meta: { next_cursor: null } }
}

export function toNames(tools: number): readonly string[] {
  return Array.from({ length: tools }, (_, index) => (index === 0 ? 'emails_list' : `emails_list_${index}`))
}
