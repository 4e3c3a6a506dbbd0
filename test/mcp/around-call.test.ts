import { setTimeout as wait } from 'node:timers/promises'
import { test } from 'tap'
import { z } from 'zod'
import type { AroundCall, CallReport, ObservedCall } from '../../plugins/mcp/index.ts'
import { askFirst, attempt, yes } from './confirmation-client.ts'
import { refuse } from './toy-callers.ts'
import { call, legacy } from './toy-client.ts'
import { createNotes } from './toy-notes.ts'
import { createShelf } from './toy-shelf.ts'

const no = { confirmation: { action: 'decline' } }

/** What the option saw. */
function listen() {
  const seen: (ObservedCall & CallReport)[] = []
  const aroundCall: AroundCall = async (observed, run) => void seen.push({ ...observed, ...(await run()) })
  const told = () =>
    seen.splice(0).map(({ tool, outcome, code, status }) => [tool, outcome, code, status].join(' '))
  return { aroundCall, seen, told }
}

test('calls that do not come to an answer of their route are told with the reason', async t => {
  const { aroundCall, told } = listen()
  const { app } = await createNotes(t, {
    mcp: { aroundCall, deadline: 50 },
    routes: api => {
      const schema = { summary: 'Odd', response: { 200: z.object({}) } }
      const config = { scopes: [], mcp: true }
      api.get('/late', { schema: { ...schema, operationId: 'late_get' }, config }, async () => {
        await wait(200)
        return {}
      })
      api.get('/broken', { schema: { ...schema, operationId: 'broken_get' }, config }, async () => {
        throw new Error('broken')
      })
      api.get('/away', { schema: { ...schema, operationId: 'away_get' }, config }, async () => {
        throw refuse(503)
      })
    },
  })
  await legacy(app, 'tools/call', { name: 'nothing_at_all' })
  t.same(told(), [], 'what is no tool has no name')
  await call(app, 'notes_create', { text: 'x' }, { as: 'rob' })
  t.same(told(), ['notes_create refused insufficient_scope '])
  await call(app, 'notes_get', {})
  t.same(told(), ['notes_get error validation_failed '])
  await legacy(app, 'tools/call', { name: 'notes_get', arguments: ['a'] })
  t.same(told(), ['notes_get invalid  '])
  await call(app, 'late_get')
  t.same(told(), ['late_get late  '])
  await call(app, 'broken_get')
  t.same(told(), ['broken_get failed  500'])
  await call(app, 'away_get')
  t.same(told(), ['away_get refused unavailable 503'])
})

test('the tools that stand for all others are told, and the one that was called through them', async t => {
  const { aroundCall, told } = listen()
  const { app } = await createNotes(t, { mcp: { aroundCall, listing: 'search' } })
  await call(app, 'search_tools', { query: 'notes' })
  await call(app, 'search_tools', {})
  await call(app, 'describe_tool', { name: 'notes_get' })
  await call(app, 'describe_tool', { name: 'nothing' })
  t.same(told(), [
    'search_tools ok  ',
    'search_tools error validation_failed ',
    'describe_tool ok  ',
    'describe_tool error not_found ',
  ])
  await call(app, 'call_tool', { name: 'notes_get', arguments: { note_id: 'a' } })
  t.same(told(), ['notes_get ok  200'])
  await call(app, 'call_tool', { name: 'nothing', arguments: {} })
  await call(app, 'call_tool', {})
  await legacy(app, 'tools/call', { name: 'call_tool', arguments: 'notes_get' })
  t.same(told(), ['call_tool invalid  ', 'call_tool error validation_failed ', 'call_tool invalid  '])
})

test('every step of a confirmation is told', async t => {
  const { aroundCall, told, seen } = listen()
  const keys = ['a key of this test that is long enough']
  const { app } = await createShelf(t, { mcp: { aroundCall, confirmation: { keys } } })
  const { state } = await askFirst(app)
  t.same(told(), ['books_delete asked  '])
  await attempt(app, { state, responses: no })
  t.same(told(), ['books_delete error confirmation_declined '])
  await attempt(app, { state, responses: 'yes' })
  t.same(told(), ['books_delete invalid  '])
  await attempt(app, { state, responses: yes })
  t.equal(seen[0]?.isConfirmed, true)
  t.same(told(), ['books_delete ok  204'])
})

test('a call that runs is told with who made it, how, and how long it took', async t => {
  const { aroundCall, seen } = listen()
  const { app } = await createNotes(t, { mcp: { aroundCall }, server: { genReqId: () => 'req-7' } })
  await call(app, 'notes_get', { note_id: 'a' })
  t.match(seen, [
    {
      tool: 'notes_get',
      outcome: 'ok',
      code: null,
      status: 200,
      isConfirmed: false,
      caller: { id: 'usr_ana' },
      client: null,
      protocolVersion: '2026-07-28',
      requestId: 'req-7',
      trace: {},
    },
  ])
  t.ok((seen[0]?.milliseconds ?? -1) > 0)
  t.notOk(JSON.stringify(seen).includes('note_id'), 'without its arguments')
})

test('whatever the option does, the call runs once and is answered', async t => {
  const options: readonly AroundCall[] = [
    async () => {},
    async () => {
      throw new Error('before')
    },
    async (_call, run) => {
      await run()
      throw new Error('after')
    },
    async (_call, run) => void (await Promise.all([run(), run()])),
  ]
  for (const aroundCall of options) {
    let runs = 0
    const { app } = await createNotes(t, {
      mcp: { aroundCall },
      routes: api =>
        api.get(
          '/count',
          {
            schema: {
              operationId: 'count_get',
              summary: 'Count',
              response: { 200: z.object({ runs: z.int() }) },
            },
            config: { scopes: [], mcp: true },
          },
          async () => ({ runs: ++runs }),
        ),
    })
    const answer = await call(app, 'count_get')
    t.same(answer.json().result.structuredContent, { runs: 1 })
    t.equal(runs, 1)
  }
})

test('without the option a call is one line of the log, without its arguments', async t => {
  const lines: Record<string, unknown>[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const { app } = await createNotes(t, { server: { logger: { level: 'info', stream } } })
  await call(app, 'notes_get', { note_id: 'secret-argument' })
  const told = lines.filter(({ msg }) => msg === 'tool call')
  t.match(told, [{ tool: 'notes_get', protocolVersion: '2026-07-28', milliseconds: Number }])
  t.equal(told.length, 1)
  t.notMatch(JSON.stringify(told), 'secret-argument')
})
