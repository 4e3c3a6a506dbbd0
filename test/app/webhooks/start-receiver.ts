import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { z } from 'zod'
import type { Teardown } from '../support/open-test-database.ts'

/** A message as it arrived. */
export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** How one message is answered: with a status, or as the function does. */
export type Reaction = number | ((response: ServerResponse) => void)

export interface Receiver {
  readonly url: string
  readonly received: Received[]
  /** What the next messages are answered with, in order; 200 when nothing is left. */
  readonly reactions: Reaction[]
}

const address = z.object({ port: z.int() })

/** Somebody who is told by webhooks, on a socket of this machine. */
export async function startReceiver(t: Teardown): Promise<Receiver> {
  const received: Received[] = []
  const reactions: Reaction[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const body = Buffer.concat(parts).toString()
    received.push({ path: request.url ?? '', headers: request.headers, body })
    const reaction = reactions.shift() ?? 200
    if (typeof reaction === 'number') response.writeHead(reaction).end(`status ${reaction}`)
    else reaction(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = address.parse(server.address())
  return { url: `http://127.0.0.1:${port}/hooks`, received, reactions }
}
