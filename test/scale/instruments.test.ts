import { createServer, type RequestListener } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { type Test, test } from 'tap'
import { createLedger, findFaults } from '../../bench/scale/ledger.ts'
import { listenLocally } from '../../bench/scale/listen-locally.ts'
import { startProxy } from '../../bench/scale/start-proxy.ts'
import { send } from '../../bench/scale/traffic/send.ts'

// What `npm run scale` and the test of the topology measure with: it has to see what is wrong.

test('whatever is neither right nor a clear refusal is a fault', async t => {
  const problem = { 'content-type': 'application/problem+json' }
  const answers: Record<string, RequestListener> = {
    '/500': (_request, response) => response.writeHead(500, problem).end('{}'),
    '/503-without-retry-after': (_request, response) => response.writeHead(503, problem).end('{}'),
    '/503-without-a-problem': (_request, response) =>
      response.writeHead(503, { 'retry-after': '5' }).end('away'),
    '/another-status': (_request, response) => response.writeHead(204).end(),
    '/error-in-200': (_request, response) => response.end('{"jsonrpc":"2.0","id":1,"error":{"code":-32603}}'),
    '/tool-error-in-200': (_request, response) => response.end('{"result":{"content":[],"isError":true}}'),
    '/broken-off': (_request, response) => response.destroy(),
  }
  const url = await serve(t, (request, response) => answers[request.url ?? '']?.(request, response))
  for (const path of Object.keys(answers)) {
    const ledger = createLedger()
    ledger.begin('outage', { mayBeUnavailable: true })
    await send(ledger, { kind: path, method: 'GET', url: url + path, headers: {}, status: 200 })
    t.equal(findFaults(ledger).length, 1, path)
  }
})

test('a clear refusal is a fault unless something is away', async t => {
  const url = await serve(t, (_request, response) =>
    response.writeHead(503, { 'content-type': 'application/problem+json', 'retry-after': '5' }).end('{}'),
  )
  for (const mayBeUnavailable of [true, false]) {
    const ledger = createLedger()
    ledger.begin('phase', { mayBeUnavailable })
    await send(ledger, { kind: 'read', method: 'GET', url, headers: {}, status: 200 })
    t.equal(findFaults(ledger).length, mayBeUnavailable ? 0 : 1)
  }
})

test('the proxy repeats what was refused before it was sent, and nothing else but reads', async t => {
  const seen: string[] = []
  const whole = await servePort(t, (request, response) => {
    if (request.url !== '/ready') seen.push(`${request.method} ${request.headers['x-forwarded-for']}`)
    response.end('whole')
  })
  const broken = await servePort(t, (request, response) => {
    if (request.url === '/ready') response.end()
    else response.destroy()
  })
  const refusing = createTcpServer()
  const refused = await listenLocally(refusing)
  await new Promise(resolve => refusing.close(resolve))

  const cases = [
    { name: 'refused', port: refused, method: 'POST', expected: [200, '1'] },
    { name: 'broken off', port: broken, method: 'GET', expected: [200, '1'] },
    { name: 'broken off', port: broken, method: 'POST', expected: [502, null] },
  ] as const
  for (const { name, port, method, expected } of cases) {
    const proxy = await startProxy([port, whole])
    t.teardown(() => proxy.close())
    const answer = await fetch(proxy.url, { method, headers: { 'x-replica': '0' } })
    t.same([answer.status, answer.headers.get('x-replica')], expected, `${method} ${name}`)
  }
  t.same(seen, ['POST 127.0.0.1', 'GET 127.0.0.1'])
})

test('the proxy sends nothing to a replica that is not ready, and all of it again once it is', async t => {
  const ready = [true, false]
  const ports = await Promise.all(
    ready.map((_, index) =>
      servePort(t, (_request, response) => response.writeHead(ready[index] ? 200 : 503).end()),
    ),
  )
  const proxy = await startProxy(ports)
  t.teardown(() => proxy.close())
  const until = async (expected: readonly number[]) => {
    for (let wait = 0; wait < 200 && proxy.ready().join() !== expected.join(); wait++)
      await new Promise(resolve => setTimeout(resolve, 25))
    t.same(proxy.ready(), expected)
  }
  await until([0])
  const replicas = async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => fetch(proxy.url)))
    return [...new Set(answers.map(answer => answer.headers.get('x-replica')))].sort()
  }
  t.same(await replicas(), ['0'])
  ready[1] = true
  await until([0, 1])
  t.same(await replicas(), ['0', '1'])
})

async function serve(t: Test, listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await servePort(t, listener)}`
}

async function servePort(t: Test, listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return listenLocally(server)
}
