import fastifyCors from '@fastify/cors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether pages of an origin may call the API and /mcp. */
    isAllowedOrigin(origin: string): boolean
  }
}

export interface CorsOptions {
  readonly allowedOrigins: readonly string[]
  /** Also every port of this machine: for the demo, where a developer's page runs wherever it likes. */
  readonly allowLocal: boolean
}

const requestHeaders = [
  'Accept',
  'Authorization',
  'Baggage',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'Last-Event-ID',
  'Mcp-Method',
  'Mcp-Name',
  'MCP-Protocol-Version',
  'Mcp-Session-Id',
  'Traceparent',
  'Tracestate',
  'X-Workspace-Id',
]

const answerHeaders = [
  'Allow',
  'ETag',
  'Idempotency-Replayed',
  'Location',
  'MCP-Protocol-Version',
  'Retry-After',
  'WWW-Authenticate',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
]

/**
 * Which browser pages may call. A preflight is answered here, before anything asks for a token, since a browser
 * sends none with it. Tokens travel in a header and never in a cookie, so no credentials are allowed.
 */
export const cors = fp(
  async (app: FastifyInstance, { allowedOrigins, allowLocal }: CorsOptions) => {
    const allowed = new Set(allowedOrigins)
    app.decorate('isAllowedOrigin', origin => allowed.has(origin) || (allowLocal && isLocal(origin)))

    await app.register(fastifyCors, {
      delegator: (request, done) => {
        const { origin } = request.headers
        const isAllowed = origin !== undefined && app.isAllowedOrigin(origin)
        done(null, isAllowed ? toAllowed(request) : refused)
      },
    })
  },
  { name: 'cors' },
)

const common = {
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  exposedHeaders: answerHeaders,
  maxAge: 600,
  strictPreflight: false,
}

/** Also of what is no page: most requests have no origin. */
const refused = { ...common, origin: false }

function toAllowed(request: FastifyRequest) {
  return { ...common, origin: true, allowedHeaders: [...requestHeaders, ...toToolHeaders(request)] }
}

/** MCP 2026-07-28 mirrors arguments in headers whose names come from tools; CORS has no pattern for that. */
function toToolHeaders(request: FastifyRequest): string[] {
  const asked = [request.headers['access-control-request-headers']].flat().join(',').split(',')
  return asked.map(name => name.trim()).filter(name => /^mcp-param-[\w!#$%&'*+.^`|~-]+$/i.test(name))
}

function isLocal(origin: string): boolean {
  return /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/.test(origin)
}
