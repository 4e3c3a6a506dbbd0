import type { FastifyPluginAsync } from 'fastify'
import { test } from 'tap'
import { z } from 'zod'
import { startApp } from './start-app.ts'

test('the boot', async t => {
  const boot = (routes: FastifyPluginAsync) => startApp(t, { routes })

  t.test('stops at a route of the API that declares no scopes, and names it', async t => {
    await t.rejects(
      boot(async app => {
        app.delete('/open-door/:id', async () => ({}))
      }),
      /DELETE \/api\/v1\/open-door\/:id declares no config\.scopes/,
    )
  })

  t.test('accepts an explicit empty list', async t => {
    const { app } = await boot(async routes => {
      routes.get('/anybody', { config: { scopes: [] } }, async () => ({}))
    })
    t.equal((await app.inject('/api/v1/anybody')).statusCode, 401)
  })

  t.test('stops at an answer that cannot be printed, and names the route', async t => {
    await t.rejects(
      boot(async app => {
        app.get(
          '/dated',
          { config: { scopes: [] }, schema: { response: { 200: z.object({ at: z.date() }) } } },
          async () => ({}),
        )
      }),
      /\/api\/v1\/dated/,
    )
  })

  t.test('stops at a scope that does not exist, and names the route', async t => {
    await t.rejects(
      boot(async app => {
        app.get('/typo', { config: { scopes: ['email:read'] } }, async () => ({}))
      }),
      /GET \/api\/v1\/typo .*email:read/,
    )
  })

  t.test('stops at a permission that no role has, and names the route', async t => {
    await t.rejects(
      boot(async app => {
        app.get('/typo', { config: { scopes: [], permission: 'emails:raed' } }, async () => ({}))
      }),
      /GET \/api\/v1\/typo .*emails:raed/,
    )
  })
})
