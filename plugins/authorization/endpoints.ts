import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CurrentProvider } from '../../lib/authorization/current-provider.ts'
import { toAuthorizationQuery } from '../../lib/authorization/to-authorization-query.ts'
import { overwriteOrigin } from './overwrite-origin.ts'
import { sendError } from './pages.ts'

export interface EndpointsOptions {
  readonly issuer: string
  readonly current: CurrentProvider
  /** Filled with the requests that are handed over, for what the library calls back. */
  readonly requests: WeakMap<IncomingMessage, FastifyRequest>
}

/** The endpoints of the protocol, which the library answers. It reads bodies by itself, from the raw request. */
export function registerEndpoints(
  scope: FastifyInstance,
  { issuer, current, requests }: EndpointsOptions,
): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null))

  // Each leaves a record for an hour, before it is known who asks.
  scope.get('/oauth/auth', { exposeHeadRoute: false, errorHandler: sendError }, async (request, reply) => {
    await scope.limitFlows(request)
    const [, query = ''] = request.url.split(/\?(.*)/s)
    await handOver(request, reply, `/auth?${toAuthorizationQuery(query)}`)
  })
  scope.get<{ Params: { uid: string } }>(
    '/oauth/auth/:uid',
    { exposeHeadRoute: false },
    async (request, reply) => handOver(request, reply, `/auth/${encodeURIComponent(request.params.uid)}`),
  )
  scope.post('/oauth/token', async (request, reply) => {
    await scope.limitTokens(request)
    await handOver(request, reply, '/token')
  })
  scope.post('/oauth/revoke', async (request, reply) => {
    await scope.limitTokens(request)
    await handOver(request, reply, '/revoke')
  })
  scope.post('/oauth/register', async (request, reply) => {
    await scope.limitClients(request)
    await handOver(request, reply, '/register')
  })

  /** @param url as the library has it, which knows nothing of `/oauth` */
  async function handOver(request: FastifyRequest, reply: FastifyReply, url: string): Promise<void> {
    const provider = await current.get()
    overwriteOrigin(request, issuer)
    requests.set(request.raw, request)
    reply.hijack()
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) reply.raw.setHeader(name, value)
    }
    if (scope.isStopping()) reply.raw.setHeader('connection', 'close')
    try {
      await provider.callback()(
        Object.assign(request.raw, { url, baseUrl: new URL(issuer).pathname }),
        reply.raw,
      )
    } finally {
      scope.hasAnswered(request)
    }
  }
}
