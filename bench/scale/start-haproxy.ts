import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { listenLocally } from './listen-locally.ts'
import type { HttpProxy } from './start-proxy.ts'

/** Milliseconds between two looks at what HAProxy thinks of the replicas. */
const lookEvery = 200

/**
 * The proxy of docker-compose.yml: an installed `haproxy` with deploy/haproxy.cfg, in which only addresses are others.
 * Rejects where there is no such program, or where it does not take the file.
 */
export async function startHaproxy(ports: readonly number[]): Promise<HttpProxy> {
  if (spawnSync('haproxy', ['-v']).error) throw new Error('haproxy is not installed')
  const folder = mkdtempSync(join(tmpdir(), 'kobana-inbox-haproxy-'))
  const socket = join(folder, 'admin.sock')
  const port = await findPort()
  const config = join(folder, 'haproxy.cfg')
  writeFileSync(config, toConfig(readFileSync('deploy/haproxy.cfg', 'utf8'), { port, ports, socket }))
  const child = spawn('haproxy', ['-db', '-f', config], { stdio: ['ignore', 'ignore', 'inherit'] })
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  let isStopped = false
  let ready: readonly number[] = []
  /** Of these it is not known yet: they were replaced after the last look began. */
  const replaced = new Set<number>()

  const look = async () => {
    const asked = new Set(replaced)
    const states = await command(socket, 'show stat').catch(() => '')
    for (const index of asked) replaced.delete(index)
    ready = toReady(states)
  }
  const watch = async () => {
    while (!isStopped) {
      await look()
      await wait(lookEvery)
    }
  }
  await until(() => look().then(() => ready.length === ports.length))
  const watching = watch()

  return {
    url: `http://127.0.0.1:${port}`,
    ready: () => ready.filter(index => !replaced.has(index)),
    replace(index, newPort) {
      replaced.add(index)
      void command(socket, `set server replicas/${toName(index)} addr 127.0.0.1 port ${newPort}`)
    },
    async close() {
      isStopped = true
      await watching
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
      process.off('exit', kill)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface Addresses {
  readonly port: number
  readonly ports: readonly number[]
  readonly socket: string
}

/** Throws where the file has no such line any more: what is not replaced would not be what is tried. */
function toConfig(text: string, { port, ports, socket }: Addresses): string {
  const servers = ports.map((of, index): readonly [string, string] => [
    `server ${toName(index)} ${toName(index)}:3000`,
    // As the other proxy has it: a request may name its replica, and its answer says which one it was.
    `use-server ${toName(index)} if { req.hdr(x-replica) ${index} }\n` +
      `  http-response set-header X-Replica ${index} if { srv_id ${index + 1} }\n` +
      `  server ${toName(index)} 127.0.0.1:${of}`,
  ])
  const changes: readonly (readonly [string, string])[] = [
    ['resolvers docker\n  nameserver dns 127.0.0.11:53\n  hold valid 2s\n', ''],
    [' resolvers docker init-addr libc,none', ''],
    ['global\n', `global\n  stats socket ${socket} mode 600 level admin\n`],
    ['bind :8080', `bind 127.0.0.1:${port}`],
    ...servers,
  ]
  return changes.reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`deploy/haproxy.cfg has no ${JSON.stringify(from)}`)
    return changed.replace(from, to)
  }, text)
}

function toName(index: number): string {
  return `api-${index + 1}`
}

/** Of the rows `replicas,api-1,…`, those whose status is UP, as far as it counts to the next one. */
function toReady(states: string): number[] {
  const rows = states.split('\n').map(row => row.split(','))
  const status = rows[0]?.indexOf('status') ?? -1
  return rows.flatMap(row => {
    const index = row[0] === 'replicas' ? /^api-(\d+)$/.exec(row[1] ?? '')?.[1] : undefined
    return index !== undefined && row[status]?.startsWith('UP') ? [Number(index) - 1] : []
  })
}

/** One command of HAProxy's runtime API, and its answer. */
async function command(path: string, text: string): Promise<string> {
  const socket = connect(path)
  socket.end(`${text}\n`)
  let answer = ''
  for await (const chunk of socket) answer += String(chunk)
  return answer
}

async function findPort(): Promise<number> {
  const server = createServer()
  const port = await listenLocally(server)
  await new Promise(resolve => server.close(resolve))
  return port
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 20_000
  while (!(await isDone())) {
    if (Date.now() > end) throw new Error('after 20 s HAProxy does not have both replicas ready')
    await wait(lookEvery)
  }
}
