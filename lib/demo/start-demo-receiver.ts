import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import { createGuardedAgent } from '../network/guarded-agent.ts'
import { type DemoAnswer, demoAnswers } from './demo-webhooks.ts'

export interface DemoReceiver {
  /** Sends what is meant for the demo's receivers to this one, and everything else as production does. */
  readonly dispatcher: Dispatcher
  close(): Promise<void>
}

/**
 * Equipment of the demo alone: a receiver on a free port of the loopback interface that plays all receivers of the
 * demo's webhooks. Messages reach it over a real socket although their URLs name hosts that do not exist: the
 * dispatcher knows these hosts, which lets URLs be the same at every start, and opens nothing else. Other private
 * addresses remain refused unless `allowPrivate`, as everywhere.
 */
export async function startDemoReceiver({ allowPrivate }: { allowPrivate: boolean }): Promise<DemoReceiver> {
  const server = createServer((request, response) => {
    // Its body is of no use here, but is read so that the sender gets rid of it.
    request.resume().on('end', () => answer(response, demoAnswers.get(request.headers.host ?? '')))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const agent = createLocalAgent((server.address() as AddressInfo).port)
  const guarded = createGuardedAgent({ allowPrivate })
  const dispatcher = guarded.compose(dispatch => (options, handler) => {
    const isDemo = options.origin !== undefined && demoAnswers.has(new URL(options.origin).host)
    return isDemo ? agent.dispatch(options, handler) : dispatch(options, handler)
  })
  return {
    dispatcher,
    async close() {
      await Promise.all([agent.destroy(), guarded.destroy()])
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Connects to the receiver whatever the URL says, without TLS: both ends are in this process. */
function createLocalAgent(port: number): Agent {
  const connect = buildConnector({ timeout: 5_000 })
  return new Agent({
    pipelining: 0,
    connect: (target, callback) =>
      connect({ ...target, protocol: 'http:', hostname: '127.0.0.1', port: String(port) }, callback),
  })
}

function answer(response: ServerResponse, { status, body, delay }: DemoAnswer = notFound): void {
  setTimeout(() => response.writeHead(status, { 'content-type': 'text/plain' }).end(body), delay).unref()
}

const notFound: DemoAnswer = { status: 404, body: 'There is no such receiver', delay: 0 }
