import { test } from 'tap'
import { z } from 'zod'
import type { DispatchedCall, UnreachedCall } from '../../plugins/mcp/index.ts'
import { askFirst, attempt, codeOf, yes } from './confirmation-client.ts'
import { refuse } from './toy-callers.ts'
import { call, legacy } from './toy-client.ts'
import { createNotes } from './toy-notes.ts'
import { createShelf } from './toy-shelf.ts'

const no = { confirmation: { action: 'decline' } }

/** What the option was told, by tool and code. */
function listen() {
  const calls: UnreachedCall[] = []
  return {
    unreached: (call: UnreachedCall) => void calls.push(call),
    told: () => calls.splice(0).map(({ tool, code, status }) => `${tool} ${code} ${status}`),
    calls,
  }
}

test('calls that never come to their route are told, once each', async t => {
  const { unreached, told, calls } = listen()
  let isClosed = false
  const context = () => {
    if (isClosed) throw refuse(404)
    return ''
  }
  const keys = ['a key of this test that is long enough']
  const { app } = await createShelf(t, { mcp: { unreached, confirmation: { keys, context } } })

  await attempt(app, { more: { as: 'rob' } })
  t.same(told(), ['books_delete insufficient_scope 403'])

  const { state } = await askFirst(app)
  t.same(told(), ['books_delete confirmation_required 409'], 'a question')
  await attempt(app, { state, responses: no })
  t.same(calls[0]?.params, { book_id: 'b1' }, 'what it was about')
  t.same(told(), ['books_delete confirmation_declined 409'])
  await attempt(app, { state, args: { book_id: 'b2' }, responses: yes })
  t.same(told(), ['books_delete invalid_params 400'], 'a yes to another call')
  await attempt(app, { state, responses: 'yes' })
  t.same(told(), ['books_delete invalid_params 400'], 'no answer to the form')
  isClosed = true
  await attempt(app, { state, responses: yes })
  t.same(told(), ['books_delete invalid_params 400'], 'in a context that is not theirs')
  isClosed = false
  await attempt(app, { state, responses: yes })
  t.same(told(), [], 'a yes runs the route')

  await legacy(app, 'tools/call', { name: 'books_burn' })
  t.same(told(), [], 'what is no tool at all')
})

test('what speaks against a question is told instead of it', async t => {
  const { unreached, told } = listen()
  const keys = ['a key of this test that is long enough']
  let status = 409
  const context = () => {
    if (status !== 200) throw refuse(status)
    return ''
  }
  const { app } = await createShelf(t, { mcp: { unreached, confirmation: { keys, context } } })
  await attempt(app, { args: { book_id: 'b7' } })
  t.same(told(), ['books_delete code_404 404'], 'there is no such record')
  await attempt(app, { args: { book_id: 'b1', if_match: '"7"' } })
  t.same(told(), ['books_delete precondition_failed 412'])
  await attempt(app)
  t.same(told(), ['books_delete invalid_params 400'], 'in a context that is not theirs')
  status = 503
  await attempt(app)
  t.same(told(), ['books_delete unavailable 503'])
  await attempt(app, { state: 'x', responses: yes })
  t.same(told(), ['books_delete unavailable 503'], 'with an answer, too')
})

test('whoever fails at being told of a question is told of it once all the same', async t => {
  const { unreached, told } = listen()
  const failing = (call: UnreachedCall) => {
    unreached(call)
    throw new Error('the audit log is away')
  }
  const { app } = await createShelf(t, { mcp: { unreached: failing } })
  t.equal(codeOf(await attempt(app)), 'asked')
  t.same(told(), ['books_delete confirmation_required 409'])
})

test('so are calls that nobody can be asked about, and those whose arguments are none', async t => {
  const { unreached, told } = listen()
  const { app } = await createShelf(t, { mcp: { unreached } })
  await legacy(app, 'tools/call', { name: 'books_delete', arguments: { book_id: 'b1' } })
  t.same(told(), ['books_delete confirmation_required 409'])
  for (const sent of [[], 'b1', null, 7]) {
    await legacy(app, 'tools/call', { name: 'books_delete', arguments: sent })
    t.same(told(), ['books_delete invalid_params 400'])
  }
})

test('a path that leads elsewhere is told as not found, and one that is too long as that', async t => {
  const { unreached, told } = listen()
  const { app } = await createNotes(t, { mcp: { unreached } })
  await call(app, 'notes_get', { note_id: 'a' })
  t.same(told(), [])
  await call(app, 'notes_get', { note_id: 'longer than any parameter'.repeat(10) })
  t.same(told(), ['notes_get FST_ERR_MAX_PARAM_LENGTH 414'])
})

test('what is told says who called what, and in which request', async t => {
  const { unreached, calls } = listen()
  const { app } = await createNotes(t, { mcp: { unreached }, server: { genReqId: () => 'req-7' } })
  await call(app, 'notes_create', { text: 'x' }, { as: 'rob' })
  t.same(calls, [
    {
      tool: 'notes_create',
      code: 'insufficient_scope',
      status: 403,
      params: {},
      caller: { id: 'usr_rob', clientId: null, scopes: ['notes:read'] },
      client: null,
      protocolVersion: '2026-07-28',
      requestId: 'req-7',
    },
  ])
})

test('a route knows what it is asked for', async t => {
  const seen: Pick<DispatchedCall, 'tool' | 'purpose' | 'mode'>[] = []
  const { app } = await createShelf(t, {
    routes: api => {
      api.addHook('onSend', async ({ mcp }) => {
        if (mcp) seen.push({ tool: mcp.tool, purpose: mcp.purpose, mode: mcp.mode })
      })
      api.get(
        '/seen',
        {
          schema: { operationId: 'seen_get', summary: 'Seen', response: { 200: z.object({}) } },
          config: { scopes: [], mcp: { resource: { uri: 'shelf://seen' } } },
        },
        async () => ({}),
      )
    },
  })
  await legacy(app, 'resources/read', { uri: 'shelf://seen' })
  t.same(seen.splice(0), [{ tool: 'seen_get', purpose: 'resource', mode: 'run' }])
  await legacy(app, 'tools/call', { name: 'seen_get' })
  t.same(seen.splice(0), [{ tool: 'seen_get', purpose: 'call', mode: 'run' }])
})
