import { readFileSync } from 'node:fs'
import rateLimit, { type RateLimitPluginOptions } from '@fastify/rate-limit'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { mcp } from '../../plugins/mcp/index.ts'
import { projectFile } from '../project.ts'
import { call } from './toy-client.ts'
import { toyOptions } from './toy-notes.ts'
import { testBothWays } from './ways.ts'

const readme = readFileSync(projectFile('plugins/mcp/README.md'), 'utf8')

/** The options that the README gives to the plugin that limits, with which a tool call counts once. */
const documented: RateLimitPluginOptions = {
  max: 100,
  timeWindow: '1 minute',
  allowList: request => request.mcp !== null,
}
const line =
  "await app.register(rateLimit, { max: 100, timeWindow: '1 minute', allowList: request => request.mcp !== null })"

async function createLimited(t: Test, options: RateLimitPluginOptions): Promise<FastifyInstance> {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(rateLimit, options)
  await app.register(mcp, { ...toyOptions, limit: undefined, permissions: undefined })
  app.get(
    '/time',
    {
      schema: { operationId: 'time_get', summary: 'Time', response: { 200: { type: 'object' } } },
      config: { scopes: [], mcp: true },
    },
    async () => ({}),
  )
  return app
}

testBothWays(
  'with the options of the README a tool call counts once, as a request over REST does',
  async t => {
    t.ok(readme.includes(`<!-- tested: rate limit -->\n\`\`\`ts\n${line}\n\`\`\``))
    const app = await createLimited(t, documented)
    t.equal((await call(app, 'time_get')).headers['x-ratelimit-remaining'], '99')
    t.equal((await call(app, 'time_get')).headers['x-ratelimit-remaining'], '98')
    t.equal((await app.inject({ url: '/time' })).headers['x-ratelimit-remaining'], '97')
    // What a client sends cannot pass for a dispatched request.
    const headers = { 'x-mcp': 'true', mcp: '{}' }
    t.equal((await app.inject({ url: '/time', headers })).headers['x-ratelimit-remaining'], '96')
  },
)

testBothWays('a call beyond the limit is told when to come back by who limits', async t => {
  const app = await createLimited(t, { ...documented, max: 1, timeWindow: '90 seconds' })
  t.equal((await call(app, 'time_get')).statusCode, 200)
  const refused = await call(app, 'time_get')
  t.equal(refused.statusCode, 429)
  t.equal(refused.json().code, 'rate_limited')
  const seconds = Number(refused.headers['retry-after'])
  t.ok(seconds > 80 && seconds <= 90, `${seconds}`)
})
