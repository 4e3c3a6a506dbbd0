import { z } from 'zod'
import { call, readText } from './toy-client.ts'
import { createNotes } from './toy-notes.ts'
import { testBothWays } from './ways.ts'

testBothWays('a call has one id', async t => {
  let count = 0
  const told: string[] = []
  const { app } = await createNotes(t, {
    server: { genReqId: () => `req-${++count}` },
    mcp: {
      aroundCall: async ({ requestId }, run) => {
        await run()
        told.push(requestId)
      },
    },
    routes: api => {
      const schema = {
        operationId: 'ids_get',
        summary: 'Ids',
        response: { 200: z.object({ ids: z.array(z.string()) }) },
      }
      api.get('/inner', { config: { scopes: [] } }, async request => ({ id: request.id }))
      api.get('/ids', { schema, config: { scopes: [], mcp: true } }, async request => {
        // What a handler injects is no part of the call.
        const inner = await app.inject({ url: '/inner', headers: { authorization: 'Bearer ana' } })
        return { ids: [request.id, inner.json().id] }
      })
    },
  })
  t.same(readText(await call(app, 'ids_get')), { ids: ['req-1', 'req-2'] })
  t.same(readText(await call(app, 'ids_get')), { ids: ['req-3', 'req-4'] })
  t.same(told, ['req-1', 'req-3'])
  const direct = await app.inject({ url: '/ids', headers: { authorization: 'Bearer ana' } })
  t.same(direct.json(), { ids: ['req-5', 'req-6'] })
})
