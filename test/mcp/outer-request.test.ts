import { request as sendByTls } from 'node:https'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import type { Test } from 'tap'
import { type McpOptions, mcp } from '../../plugins/mcp/index.ts'
import { makeCertificate } from '../lib/mail/smtp/support/make-certificate.ts'
import { call, type Headers, readText } from './toy-client.ts'
import { toyOptions } from './toy-notes.ts'
import { testBothWays } from './ways.ts'

interface Outer {
  readonly server?: FastifyServerOptions
  readonly mcp?: Partial<McpOptions>
  readonly before?: (app: FastifyInstance) => void
}

/** A tool that tells what its request looks like; `/where` is the same over REST. */
function create(t: Test, app: FastifyInstance, { mcp: options, before }: Outer = {}) {
  t.teardown(() => app.close())
  before?.(app)
  app.register(async child => {
    await child.register(mcp, { ...toyOptions, permissions: undefined, ...options })
    child.get(
      '/where',
      {
        schema: {
          operationId: 'where',
          summary: 'Where',
          response: { 200: { type: 'object', additionalProperties: true } },
        },
        config: { scopes: [], mcp: true },
      },
      async ({ ip, protocol, host, hostname, port }) => ({ ip, protocol, host, hostname, port }),
    )
  })
  return app
}

const proxied = {
  host: 'inner.test:8080',
  'x-forwarded-for': '203.0.113.9',
  'x-forwarded-proto': 'http, https',
  'x-forwarded-host': 'spoofed.test, api.test',
}

const outers: readonly (readonly [string, Outer, Headers, object])[] = [
  ['without a proxy', {}, { host: 'api.test:8080' }, { protocol: 'http', host: 'api.test:8080', port: 8080 }],
  ['an IPv6 host', {}, { host: '[2001:db8::7]:81' }, { hostname: '[2001:db8::7]', port: 81 }],
  ['headers that nobody trusts', {}, proxied, { protocol: 'http', host: 'inner.test:8080', ip: '192.0.2.7' }],
  [
    'headers that nobody trusts, and that are forwarded',
    { mcp: { forwardHeaders: ['x-forwarded-proto', 'x-forwarded-host', 'x-forwarded-for'] } },
    proxied,
    { protocol: 'http', host: 'inner.test:8080', ip: '192.0.2.7' },
  ],
  [
    'a proxy that is trusted',
    { server: { trustProxy: true } },
    proxied,
    { protocol: 'https', host: 'api.test', ip: '203.0.113.9' },
  ],
  [
    'a proxy that is trusted by its address',
    { server: { trustProxy: '192.0.2.0/24' } },
    proxied,
    { protocol: 'https', host: 'api.test', ip: '203.0.113.9' },
  ],
  [
    'a proxy that is trusted, whose headers are forwarded',
    {
      server: { trustProxy: '192.0.2.0/24' },
      mcp: { forwardHeaders: ['x-forwarded-proto', 'x-forwarded-host', 'x-forwarded-for'] },
    },
    proxied,
    { protocol: 'https', host: 'api.test', ip: '203.0.113.9' },
  ],
  [
    'a client that plays the proxy',
    { server: { trustProxy: '10.0.0.0/8' } },
    proxied,
    { protocol: 'http', host: 'inner.test:8080', ip: '192.0.2.7' },
  ],
]

testBothWays('a tool sees address, scheme and host of the outer request, as REST does', async t => {
  for (const [name, outer, headers, wanted] of outers) {
    const app = create(t, Fastify(outer.server), outer)
    const sent = { url: '/where', headers: headers as Record<string, string>, remoteAddress: '192.0.2.7' }
    const rest = (await app.inject(sent)).json()
    t.match(rest, wanted, name)
    t.same(readText(await call(app, 'where', {}, { headers, address: '192.0.2.7' })), rest, name)
  }
})

testBothWays(
  'a hook that redirects to https, before the plugin or after it, lets through what came by https',
  async t => {
    for (const trustProxy of [true, '192.0.2.0/24']) {
      for (const isBefore of [true, false]) {
        const app = Fastify({ trustProxy })
        create(t, app, {
          before: app => {
            app.addHook(isBefore ? 'onRequest' : 'preHandler', async ({ protocol, url, host }, reply) =>
              protocol === 'https' ? undefined : reply.redirect(`https://${host}${url}`, 308),
            )
          },
        })
        const answer = await call(app, 'where', {}, { headers: proxied, address: '192.0.2.7' })
        t.match(readText(answer), { protocol: 'https', host: 'api.test' }, `${trustProxy} ${isBefore}`)
        t.equal((await call(app, 'where', {}, { headers: { host: 'api.test' } })).statusCode, 308)
      }
    }
  },
)

testBothWays('a server that speaks TLS itself is seen as such in a tool call', async t => {
  const app = create(t, Fastify({ https: makeCertificate('localhost') }) as unknown as FastifyInstance)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const body = await post(port)
  t.match(JSON.parse(body.result.content[0].text), {
    ...{ ip: '127.0.0.1', protocol: 'https', host: `localhost:${port}`, hostname: 'localhost', port },
  })
})

function post(port: number): Promise<{ result: { content: [{ text: string }] } }> {
  const headers = {
    ...{ host: `localhost:${port}`, authorization: 'Bearer ana', 'content-type': 'application/json' },
  }
  const options = {
    port,
    host: '127.0.0.1',
    path: '/mcp',
    method: 'POST',
    headers,
    rejectUnauthorized: false,
  }
  return new Promise((resolve, reject) => {
    const sent = sendByTls(options, async answer => {
      let text = ''
      for await (const chunk of answer) text += chunk
      resolve(JSON.parse(text))
    })
    sent.on('error', reject)
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'where' } }))
  })
}
