import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, LookupFunction } from 'node:net'
import { test } from 'tap'
import type { buildConnector } from 'undici'
import { request } from 'undici'
import { createGuardedAgent, type GuardedAgentOptions } from '../../../lib/network/guarded-agent.ts'

// Nothing here reaches for an address that is refused: names are resolved by a table, and what would open a socket
// only writes down where to. What is really connected to is this machine's loopback, with the allowance.

interface Target {
  readonly hostname: string
  /** What the socket would be told when it resolves the name. */
  readonly addresses: readonly string[]
}

function createStub(resolutions: Record<string, readonly (readonly string[])[]> = {}) {
  const targets: Target[] = []
  const asked: string[] = []
  const resolve = async (hostname: string): Promise<readonly string[]> => {
    asked.push(hostname)
    const turns = resolutions[hostname]
    const turn = asked.filter(name => name === hostname).length - 1
    if (!turns) throw Object.assign(new Error('unknown'), { code: 'ENOTFOUND' })
    return turns[Math.min(turn, turns.length - 1)] ?? []
  }
  const build: typeof buildConnector = options => (target, callback) => {
    const { lookup } = options as { lookup: LookupFunction }
    lookup(target.hostname, { all: true }, (error, found) => {
      const addresses = Array.isArray(found) ? found.map(({ address }) => address) : []
      targets.push({ hostname: target.hostname, addresses })
      callback(error ?? Object.assign(new Error('nothing is opened in this test'), { code: 'STUB' }), null)
    })
  }
  return { targets, asked, options: { allowPrivate: false, resolve, buildConnector: build } }
}

async function fetchCode(url: string, options: GuardedAgentOptions): Promise<string> {
  const dispatcher = createGuardedAgent(options)
  try {
    await request(url, { dispatcher })
    return 'answered'
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  } finally {
    await dispatcher.destroy()
  }
}

test('literals that lead inside are refused, however they are written', async t => {
  const hosts = [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.1.',
    '１２７.0.0.1',
    '0',
    '10.0.0.1',
    '169.254.169.254',
    '0xa9fea9fe',
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:a9fe:a9fe]',
    '[64:ff9b::a9fe:a9fe]',
    '[2002:7f00:1::]',
    '[fe80::1]',
    '[fd00:ec2::254]',
  ]
  for (const host of hosts) {
    const { targets, asked, options } = createStub()
    t.equal(await fetchCode(`http://${host}/`, options), 'address_refused', host)
    t.same([targets, asked], [[], []], `${host}: neither resolved nor connected to`)
  }
})

test('names that resolve inside are refused, also with one address of several', async t => {
  const { targets, options } = createStub({
    localhost: [['127.0.0.1', '::1']],
    'metadata.example': [['169.254.169.254']],
    'mixed.example': [['8.8.8.8', '10.0.0.1']],
    'mapped.example': [['::ffff:10.0.0.1']],
    'empty.example': [[]],
  })
  for (const host of ['localhost', 'metadata.example', 'mixed.example', 'mapped.example', 'empty.example']) {
    t.equal(await fetchCode(`https://${host}/`, options), 'address_refused', host)
  }
  t.equal(await fetchCode('https://unknown.example/', options), 'ENOTFOUND')
  t.same(targets, [])
})

test('what is connected to is what was checked, under the name that certificates are for', async t => {
  const { targets, asked, options } = createStub({
    'public.example': [['8.8.8.8', '2606:4700:4700::1111']],
    // Public when it is checked, and inside for whoever asks again.
    'rebinding.example': [['1.1.1.1'], ['127.0.0.1']],
  })
  t.equal(await fetchCode('https://public.example/', options), 'STUB')
  t.equal(await fetchCode('https://rebinding.example/', options), 'STUB')
  t.equal(await fetchCode('http://8.8.4.4/', options), 'STUB')
  t.same(
    targets.map(({ addresses }) => addresses),
    [['8.8.8.8', '2606:4700:4700::1111'], ['1.1.1.1'], ['8.8.4.4']],
  )
  t.equal(targets[1]?.hostname, 'rebinding.example')
  t.same(asked, ['public.example', 'rebinding.example'], 'each name is asked for once')
  t.equal(
    await fetchCode('https://rebinding.example/', options),
    'address_refused',
    'and again the next time',
  )
})

test('a name that is not resolved in time counts as too slow', async t => {
  const { options } = createStub()
  const resolve = () => new Promise<never>(() => {})
  t.equal(await fetchCode('https://slow.example/', { ...options, resolve, connectTimeout: 50 }), 'ETIMEOUT')
})

test('with the allowance, loopback is reached, and a redirect is an answer like any other', async t => {
  const server = createServer((_, response) => response.writeHead(302, { location: '/elsewhere' }).end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const dispatcher = createGuardedAgent({ allowPrivate: true })
  t.teardown(() => dispatcher.destroy())
  for (const host of ['127.0.0.1', '0x7f.1', 'localhost']) {
    const { statusCode, body } = await request(`http://${host}:${port}/`, { dispatcher })
    await body.dump()
    t.equal(statusCode, 302, host)
  }
  t.equal(await fetchCode(`http://127.0.0.1:${port}/`, { allowPrivate: false }), 'address_refused')
})
