import {
  createServer,
  type IncomingMessage,
  request as requestUpstream,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

export interface TokenProxy {
  /** What the suite is pointed at, without a path: `http://127.0.0.1:PORT`. */
  readonly origin: string
  /** Names the port of 127.0.0.1 that requests go on to. Until then they are answered 502. */
  forwardTo(port: number): void
  close(): Promise<void>
}

/**
 * A proxy on loopback that adds `Authorization: Bearer TOKEN` to every request and changes nothing
 * else. The suite has no option for a token, and a server that let the suite in without one would not
 * be the server that is deployed.
 *
 * The headers pass as they were sent, in their order and case (`Host` too: one scenario forges it).
 */
export async function startTokenProxy(token: string): Promise<TokenProxy> {
  let port: number | undefined
  const server = createServer((request, reply) => {
    if (port === undefined) reply.writeHead(502).end()
    else forward(request, reply, { port, token })
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))

  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forwardTo(upstreamPort) {
      port = upstreamPort
    },
    close() {
      server.closeAllConnections()
      return new Promise((closed, failed) => server.close(error => (error ? failed(error) : closed())))
    },
  }
}

function forward(
  request: IncomingMessage,
  reply: ServerResponse,
  { port, token }: { port: number; token: string },
): void {
  const upstream = requestUpstream({
    host: '127.0.0.1',
    port,
    method: request.method,
    path: request.url,
    headers: [...request.rawHeaders, 'Authorization', `Bearer ${token}`],
  })
  upstream.on('response', answer => {
    reply.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
    answer.pipe(reply)
  })
  upstream.on('error', () => {
    if (!reply.headersSent) reply.writeHead(502)
    reply.end()
  })
  // The caller may leave before the answer: some scenarios abort on purpose.
  reply.on('close', () => upstream.destroy())
  request.pipe(upstream)
}
