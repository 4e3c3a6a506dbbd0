import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { StartedApp } from '../plumbing/start-app.ts'
import type { Teardown } from '../support/open-test-database.ts'
import { startAuthorization } from './start-authorization.ts'

/** The application with its own authorization server on a port of this machine, which is its public URL. */
export async function startListening(t: Teardown): Promise<StartedApp & { readonly url: string }> {
  const port = await findPort()
  const url = `http://127.0.0.1:${port}`
  const started = await startAuthorization(t, {
    env: { PUBLIC_URL: url },
    config: { authIssuer: `${url}/oauth` },
  })
  await started.app.listen({ host: '127.0.0.1', port })
  return { ...started, url }
}

/** Where a client waits for its answer; `url` is its redirect URI. */
export interface Callback {
  readonly url: string
  /** The URL that a browser came with, once it does. */
  next(): Promise<URL>
}

export async function startCallback(t: Teardown): Promise<Callback> {
  const waiting: ((url: URL) => void)[] = []
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Done</title><h1>Done</h1>')
    if (request.url?.startsWith('/callback')) waiting.shift()?.(new URL(request.url, url))
  })
  const url = `http://127.0.0.1:${await listen(server)}/callback`
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url, next: () => new Promise(resolve => waiting.push(resolve)) }
}

/** One that the system has just given out and taken back; a URL must be known before a server can be built for it. */
export async function findPort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  await new Promise(resolve => server.close(resolve))
  return port
}

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address() as AddressInfo
  return address.port
}
