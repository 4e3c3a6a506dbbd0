import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { MetricsConfig } from '../config/config.ts'
import { isMetricsToken } from './is-metrics-token.ts'
import type { Metrics } from './metrics.ts'

export interface MetricsListener {
  readonly port: number
  close(): Promise<void>
}

/** `GET /metrics` on a port of its own, which is to be reached by nobody else; with the token, where there is one. */
export async function startMetricsListener(
  { registry }: Metrics,
  { host, port, token }: MetricsConfig & { readonly port: number },
): Promise<MetricsListener> {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics' || request.method !== 'GET') return refuse(response, 404)
    if (token !== null && !isMetricsToken(request.headers.authorization, token)) return refuse(response, 401)
    registry.metrics().then(
      text => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => refuse(response, 503),
    )
  })
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('metrics have no port')
  return {
    port: address.port,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function refuse(response: ServerResponse, status: 401 | 404 | 503): void {
  const headers = status === 401 ? { 'www-authenticate': 'Bearer' } : {}
  response.writeHead(status, { ...headers, 'content-type': 'text/plain' }).end(`${status}\n`)
}
