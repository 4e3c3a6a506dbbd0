import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'tap'
import { startTokenProxy } from './token-proxy.ts'

interface Answer {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: string
}

test('a request passes with its own headers and the token', async t => {
  const origin = await startEcho(t.teardown)
  const proxy = await startTokenProxy('secret')
  t.teardown(() => proxy.close())
  proxy.forwardTo(origin)

  const answer = await post(
    `${proxy.origin}/mcp?x=1`,
    ['Host', 'evil.example.com', 'Mcp-METHOD', 'ping'],
    'hello',
  )
  const echo = JSON.parse(answer.body)
  t.equal(answer.status, 418)
  t.same(answer.headers.slice(0, 2), ['X-Echo', 'Yes'])
  t.match(echo, { method: 'POST', url: '/mcp?x=1', body: 'hello' })
  const headers = pairs(echo.rawHeaders).filter(([name]) => name?.toLowerCase() !== 'connection')
  t.same(headers, [
    ['Host', 'evil.example.com'],
    ['Mcp-METHOD', 'ping'],
    ['Content-Length', '5'],
    ['Authorization', 'Bearer secret'],
  ])
})

test('without anybody to forward to, and with nobody listening there, the answer is 502', async t => {
  const proxy = await startTokenProxy('secret')
  t.teardown(() => proxy.close())
  t.equal((await post(`${proxy.origin}/mcp`, ['Host', 'localhost'], '')).status, 502)

  const deaf = createServer()
  const port = await listen(deaf)
  await new Promise(closed => deaf.close(closed))
  proxy.forwardTo(port)
  t.equal((await post(`${proxy.origin}/mcp`, ['Host', 'localhost'], '')).status, 502)
})

/** A server that answers what it was sent, as JSON. */
async function startEcho(teardown: (end: () => unknown) => void): Promise<number> {
  const server = createServer((incoming, reply) => {
    let body = ''
    incoming.setEncoding('utf8')
    incoming.on('data', chunk => {
      body += chunk
    })
    incoming.on('end', () => {
      const { method, url, rawHeaders } = incoming
      reply.writeHead(418, ['X-Echo', 'Yes']).end(JSON.stringify({ method, url, rawHeaders, body }))
    })
  })
  teardown(() => server.close())
  return listen(server)
}

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  return (server.address() as AddressInfo).port
}

function post(url: string, headers: string[], body: string): Promise<Answer> {
  return new Promise((done, failed) => {
    const length = ['Content-Length', String(Buffer.byteLength(body))]
    const outgoing = request(
      url,
      { method: 'POST', headers: [...headers, ...length], agent: false },
      incoming => {
        let text = ''
        incoming.setEncoding('utf8')
        incoming.on('data', chunk => {
          text += chunk
        })
        incoming.on('end', () => {
          done({ status: incoming.statusCode ?? 0, headers: incoming.rawHeaders, body: text })
        })
      },
    )
    outgoing.on('error', failed)
    outgoing.end(body)
  })
}

function pairs(rawHeaders: readonly string[]): string[][] {
  return rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : []))
}
