import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { z } from 'zod'
import type { RouteMcp } from '../../plugins/mcp/index.ts'
import { call, legacy, modern, readText } from './toy-client.ts'
import { createNotes } from './toy-notes.ts'
import { testBothWays } from './ways.ts'

interface Slow {
  readonly app: FastifyInstance
  /** Tools that came to their end. */
  readonly finished: string[]
  /** Tools whose request was aborted on the way. */
  readonly aborted: string[]
}

/** Tools that take 150 ms, with a deadline of 40 ms unless one says otherwise. */
async function createSlow(t: Test): Promise<Slow> {
  const finished: string[] = []
  const aborted: string[] = []
  const slow = (app: FastifyInstance, method: string, [name, mcp]: [string, RouteMcp], headers?: z.ZodType) =>
    app.route({
      method,
      url: `/slow/${name}`,
      schema: {
        operationId: name,
        summary: name,
        ...(headers && { headers }),
        response: { 200: z.object({}) },
      },
      config: { scopes: [], mcp },
      // A destructive tool is only checked: it has to be slow before its handler.
      preHandler: async () => {
        if (name.startsWith('checked')) await sleep(150)
      },
      handler: async request => {
        request.signal.addEventListener('abort', () => aborted.push(name))
        await sleep(150)
        finished.push(name)
        return {}
      },
    })
  const { app } = await createNotes(t, {
    mcp: { deadline: 40 },
    routes: app => {
      slow(app, 'GET', ['reads', {}])
      slow(app, 'POST', ['searches', { readOnly: true }])
      slow(app, 'POST', ['writes', {}])
      slow(app, 'POST', ['writes_once', {}], z.object({ 'idempotency-key': z.string().optional() }))
      slow(app, 'GET', ['patient', { deadline: 5_000 }])
      slow(app, 'DELETE', ['checked', {}])
    },
  })
  return { app, finished, aborted }
}

testBothWays('a read past its deadline is 503 with Retry-After, and is broken off', async t => {
  const { app, aborted } = await createSlow(t)
  for (const name of ['reads', 'searches']) {
    for (const answer of [await call(app, name), await legacy(app, 'tools/call', { name })]) {
      t.equal(answer.statusCode, 503, name)
      t.equal(answer.json().code, 'unavailable')
      t.match(answer.headers['retry-after'], /^\d+$/)
      t.equal(answer.headers['cache-control'], 'no-store')
    }
  }
  t.same(aborted, ['reads', 'reads', 'searches', 'searches'])
})

testBothWays(
  'a write past its deadline is -32603 that says what is unknown and how to find out, and goes on',
  async t => {
    const { app, finished, aborted } = await createSlow(t)
    const answer = await call(app, 'writes')
    t.equal(answer.statusCode, 200)
    const { error } = answer.json()
    t.equal(error.code, -32603)
    t.match(error.message, /outcome is unknown/i)
    t.match(error.message, /operation/)
    t.notMatch(error.message, 'idempotency_key', 'this tool has none')
    t.match(error.message, error.data.requestId)

    const once = await legacy(app, 'tools/call', { name: 'writes_once', arguments: { idempotency_key: 'k' } })
    t.equal(once.json().error.code, -32603)
    t.match(once.json().error.message, /same idempotency_key/)

    for (let round = 0; round < 400 && finished.length < 2; round++) await sleep(5)
    t.same(finished, ['writes', 'writes_once'])
    t.same(aborted, [])
  },
)

testBothWays('a route may set its own deadline', async t => {
  const { app, finished } = await createSlow(t)
  t.same(readText(await call(app, 'patient')), {})
  t.same(finished, ['patient'])
})

testBothWays('a check past its deadline has changed nothing, and says so', async t => {
  const { app, finished } = await createSlow(t)
  const answer = await call(app, 'checked')
  t.equal(answer.statusCode, 503)
  t.match(answer.headers['retry-after'], /^\d+$/)
  t.match(answer.json().detail, /changed nothing/)
  await sleep(200)
  t.same(finished, [])
})

testBothWays('after a deadline the endpoint answers as before', async t => {
  const { app } = await createSlow(t)
  await Promise.all(Array.from({ length: 20 }, () => call(app, 'reads')))
  t.equal((await modern(app, 'tools/list')).statusCode, 200)
  t.equal((await call(app, 'notes_list')).json().result.isError, undefined)
})
