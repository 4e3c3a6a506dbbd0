import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { isMetricsToken } from '../lib/metrics/is-metrics-token.ts'
import { type Metrics, toStatusClass } from '../lib/metrics/metrics.ts'
import { problem } from '../lib/problem/problem.ts'
import type { Ending } from './endings.ts'

export interface MetricsOptions {
  readonly metrics: Metrics
  /** Null: there is no `/metrics` here, but on a port of its own. */
  readonly token: string | null
}

/** Counts every request from outside, and answers `GET /metrics` to whoever has the token. */
export const metrics = fp(
  async (app: FastifyInstance, { metrics: { registry, httpSeconds }, token }: MetricsOptions) => {
    app.onEnding((request, { statusCode, elapsedTime }, ending) => {
      // What POST /mcp dispatches is no request of its own; it is counted as a call of its tool.
      if (request.mcp !== null) return
      const { method, routeOptions } = request
      const route = routeOptions.url ?? 'none'
      httpSeconds.observe({ method, route, status: toStatus(ending, statusCode) }, elapsedTime / 1_000)
    })
    if (token === null) return
    app.get('/metrics', { logLevel: 'warn' }, async (request, reply) => {
      if (!isMetricsToken(request.headers.authorization, token)) {
        throw problem('unauthorized', 'Metrics need their own token.', {
          headers: { 'www-authenticate': 'Bearer' },
        })
      }
      reply.header('cache-control', 'no-store').type(registry.contentType)
      return registry.metrics()
    })
  },
  { name: 'metrics', dependencies: ['endings', 'errors'] },
)

function toStatus(ending: Ending, statusCode: number): string {
  // Neither a success nor a failure: whatever would have been answered, nobody was told.
  if (ending === 'gone') return 'gone'
  // Its status was sent before it failed.
  return ending === 'broken' ? '5xx' : toStatusClass(statusCode)
}
