import { connect, createServer, type Server, type Socket } from 'node:net'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import { type Test, test } from 'tap'
import type { Log } from '../../../lib/log/log.ts'
import { audiences, bearer, startApp } from '../plumbing/start-app.ts'

const redisUrl = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'
const skip = (await answers(redisUrl)) ? false : `no Redis at ${redisUrl.replace(/\/\/.*@/, '//')}`

test('replicas share one budget through Redis', { skip }, async t => {
  const env = { RATE_LIMIT_MAX: '6', REDIS_URL: redisUrl, TRUST_PROXY: 'loopback' }
  const first = await startApp(t, { env })
  const second = await startApp(t, { env, beside: first })
  const { people } = first
  const toApi = ({ app }: typeof first) => app.inject({ url: '/api/v1/me', headers: bearer(people.ana) })
  const toMcp = ({ app }: typeof first, method = 'ping', params = {}) =>
    app.inject({
      method: 'POST',
      url: '/mcp',
      headers: bearer(people.ana, { audience: audiences.mcp }),
      payload: { jsonrpc: '2.0', id: 1, method, params },
    })

  await t.test('of a caller, over the API and /mcp, a tool call counting once', async t => {
    const remaining = []
    for (const answer of [
      await toApi(first),
      await toMcp(second),
      await toMcp(first, 'tools/call', { name: 'me_get' }),
      await toApi(second),
      await toApi(second),
      await toApi(first),
    ]) {
      t.equal(answer.statusCode, 200)
      t.match(answer.headers, { 'x-ratelimit-limit': '6', 'x-ratelimit-reset': /^\d+$/ })
      remaining.push(Number(answer.headers['x-ratelimit-remaining']))
    }
    t.same(remaining, [5, 4, 3, 2, 1, 0])
    for (const refused of [await toApi(first), await toMcp(second)]) {
      t.equal(refused.statusCode, 429)
      t.ok(Number(refused.headers['retry-after']) >= 1)
    }
    const other = await first.app.inject({
      url: '/api/v1/me',
      headers: bearer(people.ana, { clientId: 'other' }),
    })
    t.equal(other.statusCode, 200, 'another client has its own')
  })

  await t.test('of an address that fails to authenticate', async t => {
    const headers = { 'x-forwarded-for': `2001:db8:${random()}:${random()}::1`, authorization: 'Bearer x' }
    for (let at = 0; at < 10; at++) {
      const { app } = at % 2 ? first : second
      t.equal((await app.inject({ url: '/api/v1/me', headers })).statusCode, 401)
    }
    for (const { app } of [first, second]) {
      const refused = await app.inject({ url: '/api/v1/me', headers: { ...headers, ...bearer(people.ana) } })
      t.equal(refused.statusCode, 429)
      t.match(refused.headers['retry-after'], /^\d+$/)
    }
  })
})

test('without Redis every process counts for itself, at once, and says so once', async t => {
  const silent = await listen(t)
  for (const [what, url] of [
    ['nobody listens', 'redis://127.0.0.1:1'],
    ['it never answers', `redis://:a-password@127.0.0.1:${silent}`],
  ] as const) {
    await t.test(`when ${what}`, async t => {
      const lines: string[] = []
      const { app, people } = await startApp(t, {
        env: { RATE_LIMIT_MAX: '5', REDIS_URL: url },
        log: toLog(lines),
      })
      const statuses: number[] = []
      const headers = bearer(people.bia)
      const began = performance.now()
      for (let at = 0; at < 6; at++) {
        statuses.push((await app.inject({ url: '/api/v1/me', headers })).statusCode)
      }
      t.ok(performance.now() - began < 3_000, 'nothing hangs')
      t.same(statuses, [200, 200, 200, 200, 200, 429])
      const told = lines.filter(line => line.includes('Redis is away'))
      t.equal(told.length, 1)
      t.notMatch(lines.join(''), 'a-password')
    })
  }
})

test('an outage ends by itself', { skip }, async t => {
  const lines: string[] = []
  const gate = await startGate(t, redisUrl)
  const { app, people } = await startApp(t, {
    env: { RATE_LIMIT_MAX: '1000', REDIS_URL: gate.url },
    log: toLog(lines),
  })
  const remaining = async (userId: string) => {
    const answer = await app.inject({ url: '/api/v1/me', headers: bearer(userId) })
    t.equal(answer.statusCode, 200)
    return Number(answer.headers['x-ratelimit-remaining'])
  }
  t.equal(await remaining(people.ana), 999)
  t.equal(await remaining(people.ana), 998)
  gate.close()
  t.equal(await remaining(people.ana), 999, 'counted in this process')
  gate.open()
  let last = 0
  await waitUntil(async () => {
    last = await remaining(people.ana)
    return lines.some(line => line.includes('Redis answers again'))
  })
  t.equal(last, 997, 'counted where it was before')
  t.equal(lines.filter(line => line.includes('Redis is away')).length, 1)
  t.equal(lines.filter(line => line.includes('Redis answers again')).length, 1)
})

async function answers(url: string): Promise<boolean> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 1_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.ping()) === 'PONG'
  } catch {
    return false
  } finally {
    client.disconnect()
  }
}

function toLog(lines: string[]): Log {
  return pino({ level: 'info' }, { write: line => void lines.push(line) })
}

function random(): string {
  return Math.floor(Math.random() * 65_535).toString(16)
}

async function waitUntil(isSo: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (await isSo()) return
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  throw new Error('it never happened')
}

/** A port of this machine that takes connections and says nothing. */
async function listen(t: Test): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return listenOn(server)
}

/** Redis behind a door that can be shut. */
async function startGate(t: Test, target: string) {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let isOpen = true
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    if (!isOpen) {
      socket.destroy()
      return
    }
    const behind = connect({ host: hostname, port: Number(port || 6379) })
    sockets.add(behind)
    behind.on('error', () => undefined)
    socket.pipe(behind).pipe(socket)
  })
  const close = () => {
    isOpen = false
    for (const socket of sockets) socket.destroy()
  }
  t.teardown(() => {
    close()
    server.close()
  })
  const url = new URL(target)
  url.host = `127.0.0.1:${await listenOn(server)}`
  const open = () => {
    isOpen = true
  }
  return { url: url.href, close, open }
}

async function listenOn(server: Server): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('it does not listen')
  return address.port
}
