import { generateKeyPairSync } from 'node:crypto'
import { createSigner, createVerifier } from 'fast-jwt'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { z } from 'zod'
import { mcp } from '../plugins/mcp/index.ts'
import { registerOfficialSdk } from './official-sdk.ts'

/** One app with one in-memory list route of about 3 KB, reachable in every way that the benchmark compares. */
export interface BenchApp {
  readonly app: FastifyInstance
  readonly token: string
}

const querystring = z.strictObject({ limit: z.coerce.number().int().min(1).max(100).default(20) })

const page = {
  type: 'object',
  properties: {
    data: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          subject: { type: 'string' },
          from: { type: 'string' },
          received_at: { type: 'string' },
          read: { type: 'boolean' },
        },
        required: ['id', 'subject', 'from', 'received_at', 'read'],
      },
    },
    meta: {
      type: 'object',
      properties: { next_cursor: { type: ['string', 'null'] } },
      required: ['next_cursor'],
    },
  },
  required: ['data', 'meta'],
} as const

const messages = Array.from({ length: 100 }, (_, index) => ({
  id: `eml_${String(index).padStart(26, '0')}`,
  subject: `Fatura ${4_700 + index} com vencimento em dezembro`,
  from: `cobranca${index}@fornecedor.test`,
  received_at: '2026-11-03T12:00:00.000Z',
  read: index % 2 === 0,
}))

export async function createBenchApp(): Promise<BenchApp> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const key = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const verify = createVerifier({ key, algorithms: ['EdDSA'], cache: true, allowedIss: 'bench' })
  const sign = createSigner({
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    algorithm: 'EdDSA',
    iss: 'bench',
    sub: 'usr_bench',
  })
  const token = sign({ scope: 'emails:read' })
  const authenticate = (request: FastifyRequest) => {
    const { sub }: { sub: string } = verify(request.headers.authorization?.slice('Bearer '.length) ?? '')
    return { id: sub, clientId: 'bench', scopes: ['emails:read'] }
  }

  const app = Fastify({ logger: false })
  await app.register(mcp, { serverInfo: { name: 'bench', version: '1.0.0' }, authenticate })
  await app.register(mcp, {
    serverInfo: { name: 'bench', version: '1.0.0' },
    authenticate,
    path: '/direct',
    dispatch: 'direct',
  })
  await registerOfficialSdk(app, authenticate)
  app.route<{ Querystring: z.output<typeof querystring> }>({
    method: 'GET',
    url: '/api/emails',
    schema: {
      operationId: 'emails_list',
      summary: 'List e-mails',
      querystring,
      response: { 200: page },
    },
    config: { scopes: ['emails:read'], mcp: true },
    // The query is zod's; the answer's plain JSON Schema goes to fast-json-stringify, for every way alike.
    validatorCompiler: () => data => {
      const parsed = querystring.safeParse(data)
      return parsed.success ? { value: parsed.data } : { error: parsed.error }
    },
    onRequest: async request => {
      if (request.mcp === null) authenticate(request)
    },
    handler: async request => ({ data: messages.slice(0, request.query.limit), meta: { next_cursor: null } }),
  })
  await app.ready()
  return { app, token }
}
