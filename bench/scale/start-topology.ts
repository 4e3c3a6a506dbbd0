import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type People, publicUrl } from './people.ts'
import { type Program, startProgram } from './start-program.ts'
import { type HttpProxy, startProxy } from './start-proxy.ts'
import { type Relay, startRelay } from './start-relay.ts'

/** Two replicas of the API and a worker on one database and one Redis, with a proxy in front: docker-compose.yml without Docker. */
export interface Topology {
  /** Of the proxy. */
  readonly url: string
  /** Of each replica, as it is now. */
  replicaUrls(): readonly string[]
  /** Where the worker takes mail in, on this machine. */
  readonly mailPort: number
  readonly database: Relay
  readonly redis: Relay
  /** One replica at a time: asked to stop, waited for, started again, and in use again. Resolves to their exit codes. */
  rollingRestart(): Promise<readonly (number | null)[]>
  /** Resolves when every replica says that it is ready; rejects after so many milliseconds. */
  recovered(patience: number): Promise<void>
  /** The last lines of every process. */
  output(): string
  stop(): Promise<void>
}

export interface TopologyOptions {
  /** What Node.js is started with for `server` and `worker`. */
  toArguments(program: 'server' | 'worker'): readonly string[]
  /** Migrated, and with the demo's people. */
  readonly databaseUrl: string
  readonly redisUrl: string
  readonly people: People
  /** Seconds that a replica serves on when it is to stop; the proxy needs less to notice. */
  readonly shutdownDelay: number
  /** Default: one of this folder's own. */
  readonly startProxy?: (ports: readonly number[]) => Promise<HttpProxy>
  readonly env?: Readonly<Record<string, string>>
}

const replicas = 2

export async function startTopology(options: TopologyOptions): Promise<Topology> {
  const { toArguments } = options
  const folder = mkdtempSync(join(tmpdir(), 'kobana-inbox-scale-'))
  const database = await startRelay(toTarget(options.databaseUrl, 5432))
  const redis = await startRelay(toTarget(options.redisUrl, 6379))
  const env = toEnvironment({ ...options, folder, database, redis })
  const startReplica = () =>
    startProgram({ args: toArguments('server'), env, isReady: /listening at http:\/\/127\.0\.0\.1:(\d+)/ })

  const first = await startReplica()
  const [second, worker] = await Promise.all([
    startReplica(),
    startProgram({ args: toArguments('worker'), env, isReady: /"smtp":"[^"]*:(\d+)".*the worker is ready/ }),
  ])
  const servers: Program[] = [first, second]
  const proxy = await (options.startProxy ?? startProxy)(servers.map(({ told }) => Number(told)))

  return {
    url: proxy.url,
    replicaUrls: () => servers.map(({ told }) => `http://127.0.0.1:${told}`),
    mailPort: Number(worker.told),
    database,
    redis,
    async rollingRestart() {
      const codes: (number | null)[] = []
      for (const [index, server] of [...servers.entries()]) {
        codes.push(await server.stop())
        const next = await startReplica()
        servers[index] = next
        proxy.replace(index, Number(next.told))
        await untilReady(proxy, 30_000)
      }
      return codes
    },
    recovered: patience => untilReady(proxy, patience),
    output: () => [...servers, worker].map(({ output }) => output()).join('\n--\n'),
    async stop() {
      await proxy.close()
      await Promise.all([...servers, worker].map(program => program.stop()))
      await Promise.all([database.close(), redis.close()])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** As production has it, secrets by file. */
function toEnvironment(
  options: TopologyOptions & { readonly folder: string; readonly database: Relay; readonly redis: Relay },
): Record<string, string> {
  const { folder, people } = options
  const toFile = (name: string, text: string): string => {
    const path = join(folder, name)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  return {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: '0',
    SMTP_PORT: '0',
    PUBLIC_URL: publicUrl,
    DATABASE_URL_FILE: toFile('database-url', toRelayed(options.databaseUrl, options.database)),
    REDIS_URL_FILE: toFile('redis-url', toRelayed(options.redisUrl, options.redis)),
    CONFIRMATION_KEYS_FILE: toFile('confirmation-keys', randomBytes(32).toString('hex')),
    SECRETS_KEY_FILE: toFile('secrets-key', randomBytes(32).toString('hex')),
    AUTH_ISSUER: people.issuer,
    AUTH_PUBLIC_KEY_FILE: toFile('issuer.pem', people.publicKey),
    TRUST_PROXY: '1',
    RATE_LIMIT_MAX: '1000000',
    SHUTDOWN_DELAY: String(options.shutdownDelay),
    ...options.env,
  }
}

function toTarget(url: string, defaultPort: number): { host: string; port: number } {
  const { hostname, port } = new URL(url)
  return { host: hostname, port: Number(port || defaultPort) }
}

function toRelayed(url: string, relay: Relay): string {
  const relayed = new URL(url)
  relayed.host = `127.0.0.1:${relay.port}`
  return relayed.href
}

async function untilReady(proxy: HttpProxy, patience: number): Promise<void> {
  const end = Date.now() + patience
  while (proxy.ready().length < replicas) {
    if (Date.now() > end)
      throw new Error(`after ${patience} ms only ${proxy.ready().length} replicas are ready`)
    await wait(50)
  }
}
