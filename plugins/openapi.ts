import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { completeDocument, type OperationFacts } from '../lib/openapi/complete-document.ts'
import { problemSchema } from '../lib/openapi/problem-schema.ts'
import { toRouteSchema } from '../lib/openapi/to-route-schema.ts'
import packageFile from '../package.json' with { type: 'json' }

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A route of the API that needs no token. Only the description of the API itself is such a one. */
    open?: boolean
  }
}

/**
 * `GET /api/v1/openapi.json`: every operation as OpenAPI 3.1, from the schemas that validate and print; and `GET
 * /docs`, a page to read and try it, all of it served from here. Both need no token: they tell nothing of anybody.
 */
export const openapi = fp(
  async (app: FastifyInstance, { publicUrl }: { publicUrl: string }) => {
    const operations = new Map<string, OperationFacts>()

    await app.register(swagger, {
      openapi: {
        openapi: '3.1.1',
        info: {
          title: 'Kobana Autonomous Inbox API',
          version: packageFile.version,
          description,
          license: { name: 'MIT', identifier: 'MIT' },
        },
        servers: [{ url: publicUrl }],
        components: { securitySchemes: { bearer }, parameters: { Workspace: workspaceHeader } },
      },
      transform: ({ schema, url, route }) => {
        const { scopes, permission, tenancy } = route.config ?? {}
        if (!scopes || !schema?.operationId) return { schema: { hide: true }, url }
        const { consumes = [], produces = [], ...declared } = schema
        const isOfWorkspace = tenancy !== 'organization'
        operations.set(schema.operationId, { consumes, produces, isOfWorkspace })
        const described = toRouteSchema({ ...declared, produces }, { scopes, permission })
        delete described.produces
        return { schema: described, url }
      },
      transformObject: documents => {
        if (!('openapiObject' in documents)) throw new Error('the document is not one of OpenAPI 3')
        return completeDocument(documents.openapiObject, { problem: problemSchema, operations })
      },
    })

    // Made when somebody asks for it: most processes are never asked.
    let document: string | null = null
    app.get('/api/v1/openapi.json', { config: { open: true } }, async (_request, reply) => {
      reply.type('application/json; charset=utf-8').header('cache-control', 'public, max-age=300')
      document ??= JSON.stringify(app.swagger())
      return document
    })

    await app.register(swaggerUi, {
      routePrefix: '/docs',
      // The badge of the page would send the document to a validator outside.
      uiConfig: {
        url: '/api/v1/openapi.json',
        validatorUrl: null,
        deepLinking: true,
        persistAuthorization: false,
      },
      theme: { title: 'Kobana Autonomous Inbox API' },
      staticCSP: contentPolicy,
    })
  },
  { name: 'openapi' },
)

const description = [
  'Companies give an inbox an address; mail arrives; a worker reads each message, extracts what can be proved from it,',
  'applies rules and tells other systems by signed webhooks. The same operations are tools of `POST /mcp`.',
].join(' ')

const bearer = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description:
    'An access token for the audience of the API. What each operation needs stands beside it as scopes.',
} as const

const workspaceHeader = {
  name: 'X-Workspace-Id',
  in: 'header',
  description: 'The workspace to act on; it may be left out by people who have only one.',
  schema: { type: 'string', pattern: '^wsp_[0-7][0-9a-hjkmnp-tv-z]{25}$' },
} as const

/** Nothing is loaded from anywhere else; the page's library sets styles by itself. */
const contentPolicy = [
  "default-src 'none'",
  "base-uri 'none'",
  "connect-src 'self'",
  "font-src 'self' data:",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "img-src 'self' data:",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
].join('; ')
