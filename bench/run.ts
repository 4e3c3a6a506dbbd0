/**
 * `npm run bench`: one in-memory list route over REST, through POST /mcp, and through the official SDK, interleaved
 * in one run, so that a slow moment of the machine falls on all alike. Prints medians, and shares of REST.
 *
 *   npm run bench -- --rounds 7 --seconds 3 --connections 32
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '32' },
  },
})
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)
const connections = Number(values.connections)

interface Target {
  readonly name: string
  readonly path: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

const call = { jsonrpc: '2.0', id: 1, method: 'tools/call' }
const callParams = { name: 'emails_list', arguments: { limit: 20 } }
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
}
const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const modern = {
  ...json,
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'emails_list',
}
const modernBody = JSON.stringify({ ...call, params: { ...callParams, _meta: envelope } })

const targets: readonly Target[] = [
  { name: 'REST', path: '/api/emails?limit=20', method: 'GET', headers: {} },
  { name: 'POST /mcp, 2026-07-28', path: '/mcp', method: 'POST', headers: modern, body: modernBody },
  { name: 'POST /direct, 2026-07-28', path: '/direct', method: 'POST', headers: modern, body: modernBody },
  {
    name: 'POST /mcp, 2025-06-18',
    path: '/mcp',
    method: 'POST',
    headers: { ...json, 'mcp-protocol-version': '2025-06-18' },
    body: JSON.stringify({ ...call, params: callParams }),
  },
  { name: 'official SDK v2, 2026-07-28', path: '/sdk', method: 'POST', headers: modern, body: modernBody },
]

const server = fork(new URL('./server.ts', import.meta.url), { execArgv: ['--import', 'tsx'] })
const [{ url, token }] = (await once(server, 'message')) as [{ url: string; token: string }]
try {
  await checkAnswers()
  const measured = new Map<string, { throughput: number; p50: number; p99: number }[]>()
  for (let round = 0; round <= rounds; round++) {
    for (const target of targets) {
      const result = await load(target)
      // The first round warms up.
      if (round > 0) measured.set(target.name, [...(measured.get(target.name) ?? []), result])
    }
  }
  print(measured)
} finally {
  server.disconnect()
}

// A fast wrong answer is no result: every way must return the route's own bytes.
async function checkAnswers(): Promise<void> {
  const texts = await Promise.all(
    targets.map(async ({ path, method, headers, body }) => {
      const init = {
        method,
        headers: { ...headers, authorization: `Bearer ${token}` },
        ...(body !== undefined && { body }),
      }
      const response = await fetch(url + path, init)
      const text = await response.text()
      if (method === 'GET') return text
      const message = JSON.parse(text) as { result?: { content?: { text?: string }[] } }
      return message.result?.content?.[0]?.text
    }),
  )
  const wrong = targets.filter((_, index) => texts[index] !== texts[0] || (texts[index] ?? '').length < 2_500)
  if (wrong.length > 0) throw new Error(`wrong answer from: ${wrong.map(target => target.name).join(', ')}`)
}

async function load({
  path,
  method,
  headers,
  body,
}: Target): Promise<{ throughput: number; p50: number; p99: number }> {
  const result = await autocannon({
    url: url + path,
    method,
    headers: { ...headers, authorization: `Bearer ${token}` },
    ...(body !== undefined && { body }),
    connections,
    duration: seconds,
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${path}: ${result.non2xx} refusals, ${result.errors} errors`)
  return {
    throughput: result.requests.total / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
  }
}

function print(
  measured: ReadonlyMap<string, readonly { throughput: number; p50: number; p99: number }[]>,
): void {
  const rest = measured.get('REST') ?? []
  process.stdout.write(
    `${rounds} rounds of ${seconds} s each, interleaved, ${connections} connections, Node.js ${process.version}\n\n`,
  )
  process.stdout.write(
    `${'way'.padEnd(30)}${'calls/s'.padStart(9)}${'p50 ms'.padStart(8)}${'p99 ms'.padStart(8)}${'share of REST (min–max)'.padStart(28)}\n`,
  )
  for (const [name, results] of measured) {
    // The share is taken within each round, and the median of the shares is what is quoted.
    const shares = results.map((result, round) => result.throughput / (rest[round]?.throughput ?? Number.NaN))
    const range = `${median(shares).toFixed(2)} (${Math.min(...shares).toFixed(2)}–${Math.max(...shares).toFixed(2)})`
    const columns = [
      median(results.map(result => result.throughput))
        .toFixed(0)
        .padStart(9),
      median(results.map(result => result.p50))
        .toFixed(0)
        .padStart(8),
      median(results.map(result => result.p99))
        .toFixed(0)
        .padStart(8),
      range.padStart(28),
    ]
    process.stdout.write(`${name.padEnd(30)}${columns.join('')}\n`)
  }
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}
