import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { listenLocally } from './listen-locally.ts'

/** An HTTP proxy in front of replicas, as any load balancer is: round robin, health checks, careful retries. */
export interface HttpProxy {
  readonly url: string
  /** Which replicas it sends requests to at this moment, by index. */
  ready(): readonly number[]
  /** A replica that has come back elsewhere. */
  replace(index: number, port: number): void
  close(): Promise<void>
}

/** Milliseconds between two health checks of a replica, and how long each may take. */
const checkEvery = 250
const checkPatience = 2_500

interface Replica {
  readonly index: number
  port: number
  isReady: boolean
}

interface Exchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly body: Buffer
}

/**
 * What it does to a request: adds the client's address to `X-Forwarded-For`, prefers the replica that `X-Replica`
 * names, and says in the same header of the answer which one answered. What it repeats: any request whose connection
 * was refused, since nothing of it was sent; of those that were sent only GET and HEAD, which change nothing.
 */
export async function startProxy(ports: readonly number[]): Promise<HttpProxy> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256, timeout: 60_000 })
  const replicas: Replica[] = ports.map((port, index) => ({ index, port, isReady: true }))
  let turn = 0

  // Where none is ready all of them are asked: what is wrong is theirs to say.
  const toCandidates = (preferred: string | undefined): Replica[] => {
    const ready = replicas.filter(replica => replica.isReady)
    const usable = ready.length > 0 ? ready : replicas
    turn += 1
    const rotated = usable
      .map((_, at) => usable[(at + turn) % usable.length])
      .filter(one => one !== undefined)
    return rotated.sort(
      (one, other) => Number(String(other.index) === preferred) - Number(String(one.index) === preferred),
    )
  }

  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', chunk => chunks.push(chunk))
    incoming.on('error', () => outgoing.destroy())
    incoming.on('end', () => {
      const exchange = { incoming, outgoing, body: Buffer.concat(chunks) }
      pass(exchange, toCandidates(incoming.headers['x-replica']?.toString()), agent)
    })
  })
  const checks = replicas.map(replica => startChecks(replica))
  const port = await listenLocally(server)

  return {
    url: `http://127.0.0.1:${port}`,
    ready: () => replicas.filter(replica => replica.isReady).map(({ index }) => index),
    replace(index, newPort) {
      const replica = replicas[index]
      if (replica) replica.port = newPort
    },
    async close() {
      for (const stop of checks) stop()
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      agent.destroy()
      await closed
    },
  }
}

function pass(exchange: Exchange, [replica, ...others]: readonly Replica[], agent: Agent): void {
  const { incoming, outgoing, body } = exchange
  if (!replica) {
    outgoing.writeHead(502, { 'content-type': 'text/plain' }).end('no replica could be reached\n')
    return
  }
  const isSafe = incoming.method === 'GET' || incoming.method === 'HEAD'
  const { 'x-forwarded-for': before, ...headers } = incoming.headers
  const client = incoming.socket.remoteAddress ?? ''
  const upstream = request({
    agent,
    host: '127.0.0.1',
    port: replica.port,
    method: incoming.method,
    path: incoming.url,
    headers: {
      ...headers,
      connection: 'keep-alive',
      'x-forwarded-for': before ? `${before}, ${client}` : client,
    },
  })
  upstream.on('response', answer => {
    const { connection: _connection, 'keep-alive': _keepAlive, ...kept } = answer.headers
    outgoing.writeHead(answer.statusCode ?? 502, { ...kept, 'x-replica': String(replica.index) })
    answer.pipe(outgoing)
    answer.on('error', () => outgoing.destroy())
  })
  upstream.on('error', error => {
    if (outgoing.headersSent || outgoing.destroyed) return void outgoing.destroy()
    const wasSent = !('syscall' in error && error.syscall === 'connect')
    if (wasSent && !isSafe) {
      outgoing
        .writeHead(502, { 'content-type': 'text/plain' })
        .end(`the replica broke off: ${error.message}\n`)
    } else pass(exchange, others, agent)
  })
  outgoing.on('close', () => upstream.destroy())
  upstream.end(body)
}

/** Looks at `/ready` all the time; two failures in a row take a replica out, one success brings it back. */
function startChecks(replica: Replica): () => void {
  let isStopped = false
  let failures = 0
  const check = async () => {
    const isReady = await fetch(`http://127.0.0.1:${replica.port}/ready`, {
      signal: AbortSignal.timeout(checkPatience),
      headers: { connection: 'close' },
    }).then(
      async answer => {
        await answer.arrayBuffer()
        return answer.ok
      },
      () => false,
    )
    failures = isReady ? 0 : failures + 1
    replica.isReady = isReady || (replica.isReady && failures < 2)
    if (!isStopped) setTimeout(() => void check(), checkEvery).unref()
  }
  void check()
  return () => {
    isStopped = true
  }
}
