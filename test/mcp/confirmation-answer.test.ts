import { test } from 'tap'
import { askFirst, attempt, codeOf, yes } from './confirmation-client.ts'
import { refuse } from './toy-callers.ts'
import { readText, textOf } from './toy-client.ts'
import { createShelf } from './toy-shelf.ts'

const answered = (response: unknown) => ({ confirmation: response })
const accept = (content: unknown) => answered({ action: 'accept', content })

test('a yes runs the call once with the id as key and the ETag that was shown, and reads no preview', async t => {
  const { app, books, visits } = await createShelf(t)
  const args = { book_id: 'b1', reason: 'old', idempotency_key: 'own', if_match: '*' }
  const { state } = await askFirst(app, { args })
  visits.length = 0
  const answer = await attempt(app, { args, state, responses: yes })
  t.match(answer.json().result, { content: [{ type: 'text', text: '' }], resultType: 'complete' })
  t.equal(answer.json().result.isError, undefined)
  const { jti, etag } = JSON.parse(Buffer.from(state.split('.')[1] ?? '', 'base64url').toString())
  t.equal(etag, '"1"')
  t.match(jti, /^[0-9a-f-]{36}$/)
  t.same(visits, [
    {
      route: 'books_delete',
      params: { book_id: 'b1' },
      query: { reason: 'old' },
      ifMatch: '"1"',
      key: jti,
    },
  ])
  t.notOk(books.has('b1'))
})

test('a repeated yes goes to the route with the same key, which decides', async t => {
  const { app, visits } = await createShelf(t)
  const { state } = await askFirst(app)
  await attempt(app, { state, responses: yes })
  const again = await attempt(app, { state, responses: yes })
  t.equal(codeOf(again), 'code_404', 'this shelf keeps no answers')
  const keys = visits.filter(({ route }) => route === 'books_delete').map(({ key }) => key)
  t.equal(keys.length, 2)
  t.equal(keys[0], keys[1])
  const next = await askFirst(app, { args: { book_id: 'b2' } })
  await attempt(app, { args: { book_id: 'b2' }, state: next.state, responses: yes })
  t.not(visits.at(-1)?.key, keys[0], 'each question has an id of its own')
})

test('a record that has changed since it was shown is left alone', async t => {
  const { app, books } = await createShelf(t)
  const { state } = await askFirst(app)
  books.set('b1', { title: 'Another', owner: 'usr_ana', addedAt: '', version: 2 })
  const answer = await attempt(app, { state, responses: yes })
  t.equal(answer.json().result.isError, true)
  t.equal(codeOf(answer), 'code_412')
  t.ok(books.has('b1'))
})

test('rights are checked again when the yes comes', async t => {
  const scopes = ['notes:read', 'notes:write']
  const caller = { id: 'usr_ana', clientId: 'desk', scopes }
  const { app, books } = await createShelf(t, {
    mcp: { authenticate: () => ({ ...caller, scopes: [...scopes] }) },
  })
  const { state } = await askFirst(app)
  scopes.pop()
  t.equal(codeOf(await attempt(app, { state, responses: yes })), 403)
  t.ok(books.has('b1'))
})

test('decline, cancel and false are a no: nothing runs and nothing is asked again', async t => {
  const { app, visits } = await createShelf(t)
  const { state } = await askFirst(app)
  visits.length = 0
  for (const responses of [
    answered({ action: 'decline' }),
    answered({ action: 'cancel' }),
    answered({ action: 'decline', content: { confirm: true } }),
    accept({ confirm: false }),
  ]) {
    const answer = await attempt(app, { state, responses })
    t.equal(answer.json().result.isError, true)
    const problem = readText(answer)
    t.match(problem, { code: 'confirmation_declined', status: 409, title: 'Confirmation declined' })
    t.match(problem.detail, /Nothing was done/)
    t.type(problem.request_id, 'string')
  }
  t.same(visits, [])
})

test('an answer to something else than was asked is -32602', async t => {
  const { app, visits } = await createShelf(t)
  const { state } = await askFirst(app)
  visits.length = 0
  for (const responses of [
    'yes',
    null,
    [],
    answered('accept'),
    answered(null),
    answered({}),
    answered({ action: 'yes' }),
    answered({ action: 'accept' }),
    accept(true),
    accept({}),
    accept({ confirm: 'true' }),
    accept({ confirm: 1 }),
    accept({ confirm: null }),
    accept({ other: true }),
  ]) {
    const answer = await attempt(app, { state, responses })
    t.equal(codeOf(answer), -32602, JSON.stringify(responses))
    t.match(answer.json().error.message, 'Invalid params: inputResponses')
  }
  t.same(visits, [])
})

test('state without an answer, and an answer without state, are asked again', async t => {
  const { app, visits } = await createShelf(t)
  const { state } = await askFirst(app)
  for (const [name, call] of Object.entries({
    'no responses': { state },
    'responses to nothing': { state, responses: {} },
    'a response of another name': { state, responses: { other: yes.confirmation } },
    'a response from the prototype': { state, responses: JSON.parse('{"__proto__":{"confirmation":{}}}') },
    'no state': { responses: yes },
  }))
    t.equal(codeOf(await attempt(app, call)), 'asked', name)
  t.ok(visits.every(({ route }) => route === 'books_get'))
})

test('what the form did not ask for is ignored', async t => {
  const { app, books } = await createShelf(t)
  const { state } = await askFirst(app)
  const responses = { ...accept({ confirm: true, other: 1 }), second: { action: 'decline' } }
  t.equal(codeOf(await attempt(app, { state, responses })), 'done')
  t.notOk(books.has('b1'))
})

test('an expired state is asked again, with a new state; a no stays a no', async t => {
  const { app, books } = await createShelf(t)
  const past = Date.now() - 301_000
  const original = Date.now
  Date.now = () => past
  const { state } = await askFirst(app).finally(() => {
    Date.now = original
  })
  const answer = await attempt(app, { state, responses: yes })
  t.equal(codeOf(answer), 'asked')
  t.ok(books.has('b1'))
  t.equal(
    codeOf(await attempt(app, { state, responses: answered({ action: 'cancel' }) })),
    'confirmation_declined',
  )
  const again = answer.json().result.requestState
  t.not(again, state)
  t.equal(codeOf(await attempt(app, { state: again, responses: yes })), 'done')
})

test('the lifetime is an option', async t => {
  const keys = ['x'.repeat(32)]
  const { app } = await createShelf(t, { mcp: { confirmation: { keys, lifetime: 1 } } })
  const { state } = await askFirst(app)
  const { iat, exp } = JSON.parse(Buffer.from(state.split('.')[1] ?? '', 'base64url').toString())
  t.equal(exp - iat, 1)
  await new Promise(resolve => setTimeout(resolve, exp * 1_000 - Date.now() + 5))
  t.equal(codeOf(await attempt(app, { state, responses: yes })), 'asked')
})

test('a context that the application cannot name is the mistake of the client', async t => {
  const { app, books } = await createShelf(t, {
    mcp: {
      confirmation: {
        keys: ['x'.repeat(32)],
        context: (_caller, request) => {
          if (request.headers['x-workspace-id'] === 'unknown') throw refuse(404)
          if (request.headers['x-workspace-id'] === 'busy') throw refuse(503, { 'retry-after': '7' })
          if (request.headers['x-workspace-id'] === 'broken') throw new Error('secret detail')
          return 'one'
        },
      },
    },
  })
  const { state } = await askFirst(app)
  for (const more of [{}, { state, responses: yes }]) {
    const from = (workspace: string) => ({ ...more, more: { headers: { 'x-workspace-id': workspace } } })
    t.equal(codeOf(await attempt(app, from('unknown'))), -32602)
    const busy = await attempt(app, from('busy'))
    t.equal(busy.statusCode, 503)
    t.equal(busy.headers['retry-after'], '7')
    const broken = await attempt(app, from('broken'))
    t.equal(codeOf(broken), -32603)
    t.notMatch(broken.body, 'secret')
  }
  t.equal(books.size, 3)
  t.equal(textOf(await attempt(app, { state, responses: yes })), '')
})
