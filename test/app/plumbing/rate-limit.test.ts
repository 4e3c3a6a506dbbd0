import type { FastifyPluginAsync } from 'fastify'
import { test } from 'tap'
import { z } from 'zod'
import { audiences, bearer, startApp } from './start-app.ts'

const routes: FastifyPluginAsync = async app => {
  const schema = {
    operationId: 'look',
    summary: 'Look',
    response: { 200: z.strictObject({ ok: z.boolean() }) },
  }
  const config = { scopes: ['emails:read'], tenancy: 'organization' as const, mcp: true }
  app.get('/look', { schema, config }, async () => ({ ok: true }))
}

test('the budget of a caller', async t => {
  const { app, people } = await startApp(t, { routes, env: { RATE_LIMIT_MAX: '5' } })
  const look = (headers: Record<string, string>) => app.inject({ url: '/api/v1/look', headers })
  const callTool = (headers: Record<string, string>) =>
    app.inject({
      method: 'POST',
      url: '/mcp',
      headers,
      payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'look' } },
    })

  t.test('is shown with every answer and shared by the API and /mcp, a tool call counting once', async t => {
    const first = await look(bearer(people.ana))
    t.match(first.headers, { 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '4' })
    t.ok(Number(first.headers['x-ratelimit-reset']) <= 60)
    const second = await callTool(bearer(people.ana, { audience: audiences.mcp }))
    t.match(second.json(), { result: { content: [{ text: '{"ok":true}' }] } })
    t.match(second.headers, { 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '3' })
    const third = await look(bearer(people.ana))
    t.match(third.headers, { 'x-ratelimit-remaining': '2' })
  })

  t.test('is also taken from by what is refused after authentication', async t => {
    const refused = await look(bearer(people.ana, { scopes: [] }))
    t.equal(refused.statusCode, 403)
    t.match(refused.headers, { 'x-ratelimit-remaining': '1' })
  })

  t.test('ends in 429 on both, saying for how long', async t => {
    t.equal((await look(bearer(people.ana))).statusCode, 200)
    for (const answer of [
      await look(bearer(people.ana)),
      await callTool(bearer(people.ana, { audience: audiences.mcp })),
    ]) {
      t.equal(answer.statusCode, 429)
      t.match(answer.json(), { code: 'rate_limited', status: 429 })
      t.match(answer.headers['content-type'], 'application/problem+json')
      t.match(answer.headers, { 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '0' })
      t.ok(Number(answer.headers['retry-after']) >= 1 && Number(answer.headers['retry-after']) <= 60)
    }
  })

  t.test('is one for each person and client', async t => {
    t.equal((await look(bearer(people.ana, { clientId: 'another' }))).statusCode, 200)
    t.equal((await look(bearer(people.bia))).statusCode, 200)
  })
})

test('the budget of an address for failed authentication', async t => {
  const { app, people } = await startApp(t, {
    routes,
    env: { RATE_LIMIT_MAX: '100', TRUST_PROXY: 'loopback' },
  })
  const from = (address: string, headers: Record<string, string> = {}) =>
    app.inject({ url: '/api/v1/look', headers: { ...headers, 'x-forwarded-for': address } })
  const ping = (address: string, headers: Record<string, string> = {}) =>
    app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { ...headers, 'x-forwarded-for': address },
      payload: { jsonrpc: '2.0', id: 1, method: 'ping' },
    })

  t.test('is shared by the API and /mcp, and once spent comes before authentication', async t => {
    for (let at = 0; at < 5; at++) {
      t.equal((await from('192.0.2.1', { authorization: 'Bearer guess' })).statusCode, 401)
      t.equal((await ping('192.0.2.1', { authorization: 'Bearer guess' })).statusCode, 401)
    }
    for (const answer of [
      await from('192.0.2.1', bearer(people.ana)),
      await ping('192.0.2.1', bearer(people.ana, { audience: audiences.mcp })),
    ]) {
      t.equal(answer.statusCode, 429)
      t.match(answer.json(), { code: 'rate_limited' })
      t.match(answer.headers['retry-after'], /^\d+$/)
      t.notOk(answer.headers['x-ratelimit-limit'])
    }
  })

  t.test('is not that of another address', async t => {
    t.equal((await from('192.0.2.2', bearer(people.ana))).statusCode, 200)
  })

  t.test('is one for a whole network of IPv6, which one machine may have to itself', async t => {
    for (let at = 0; at < 10; at++) await from(`2001:db8:1:2::${at}`)
    t.equal((await from('2001:db8:1:2:ffff::1')).statusCode, 429)
    t.equal((await from('2001:db8:1:3::1')).statusCode, 401)
  })

  t.test('is not touched by those who authenticate', async t => {
    for (let at = 0; at < 12; at++) t.equal((await from('192.0.2.3', bearer(people.bia))).statusCode, 200)
  })

  t.test('does not stop what needs no token', async t => {
    const answer = await app.inject({ url: '/health', headers: { 'x-forwarded-for': '192.0.2.1' } })
    t.equal(answer.statusCode, 200)
  })
})

test('without a proxy to trust, the forwarded address counts for nothing', async t => {
  const { app } = await startApp(t, { routes, env: { RATE_LIMIT_MAX: '100' } })
  const statuses = []
  for (let at = 0; at < 11; at++) {
    const headers = { 'x-forwarded-for': `192.0.2.${at}` }
    statuses.push((await app.inject({ url: '/api/v1/look', headers })).statusCode)
  }
  t.same(statuses, [...Array(10).fill(401), 429])
})
