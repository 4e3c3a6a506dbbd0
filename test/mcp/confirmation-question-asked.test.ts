import { isInputRequiredResult, specTypeSchemas } from '@modelcontextprotocol/server'
import { test } from 'tap'
import { z } from 'zod'
import { askFirst, attempt, codeOf, formCapabilities } from './confirmation-client.ts'
import { call, legacy, readText } from './toy-client.ts'
import { metadataUrl } from './toy-notes.ts'
import { createShelf } from './toy-shelf.ts'

const message = 'Remove the book “Fatura 4711”, added 3 Nov 2026?'

test('a destructive call asks the person first, with what will be affected', async t => {
  const { app, visits } = await createShelf(t)
  const answer = await attempt(app)
  t.equal(answer.statusCode, 200)
  const { requestState, ...rest } = answer.json().result
  t.same(rest, {
    resultType: 'input_required',
    inputRequests: {
      confirmation: {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message,
          requestedSchema: {
            type: 'object',
            properties: {
              confirm: { type: 'boolean', title: 'Yes, do it', description: message, default: false },
            },
            required: ['confirm'],
          },
        },
      },
    },
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'toys', title: 'Toys', version: '1.2.3' } },
  })
  t.match(requestState, /^[\w-]+\.[\w-]+\.[\w-]+$/)
  t.equal(isInputRequiredResult(answer.json().result), true, 'the official schema agrees')
  const request = specTypeSchemas.ElicitRequest['~standard'].validate(rest.inputRequests.confirmation)
  t.notMatch(request, { issues: [] })
  t.same(
    visits.map(({ route }) => route),
    ['books_get'],
    'only the preview ran',
  )
})

test('the question is asked only about what can happen: scope, permission, arguments, existence', async t => {
  const { app, books, visits } = await createShelf(t)
  const unscoped = await attempt(app, { args: { book_id: 'b9', reason: 'no' }, more: { as: 'rob' } })
  t.equal(unscoped.statusCode, 403)
  t.equal(
    unscoped.headers['www-authenticate'],
    `Bearer resource_metadata="${metadataUrl}", scope="notes:write", error="insufficient_scope"`,
  )
  for (const args of [{ book_id: 'b1' }, { book_id: 'none', reason: 'no' }, {}])
    t.equal(codeOf(await attempt(app, { args, more: { as: 'vera' } })), 'forbidden', JSON.stringify(args))
  for (const args of [
    {},
    { book_id: '..' },
    { book_id: 'none', reason: 'no' },
    { book_id: 'b1', other: 1 },
    { book_id: 'b1', idempotency_key: 'é' },
  ])
    t.equal(codeOf(await attempt(app, { args })), 'validation_failed', JSON.stringify(args))
  t.same(visits, [], 'nothing was read up to here')
  const closed = { headers: { 'x-workspace-id': 'closed' } }
  t.equal(
    codeOf(await attempt(app, { more: closed })),
    'code_409',
    'what the hooks of the route say, they say',
  )
  for (const book_id of ['none', 'b9', '%2e%2e%2fbooks', 'b1/pages'])
    t.equal(codeOf(await attempt(app, { args: { book_id } })), 'code_404', book_id)
  t.equal(codeOf(await attempt(app, { name: 'nothing' })), -32602)
  t.equal(codeOf(await attempt(app, { args: [] })), -32602)
  t.equal(books.size, 3)
})

test('a preview that the token does not cover asks for the scopes of both', async t => {
  const writer = { id: 'usr_ana', clientId: 'desk', scopes: ['notes:write'] }
  const { app } = await createShelf(t, { mcp: { authenticate: () => writer } })
  const unscoped = await attempt(app)
  t.equal(unscoped.statusCode, 403)
  t.match(unscoped.headers['www-authenticate'], 'scope="notes:read notes:write", error="insufficient_scope"')
})

test('elicitation without a mode means forms; URLs alone, or no object, do not', async t => {
  const { app, visits } = await createShelf(t)
  for (const [elicitation, code] of [
    [{}, 'asked'],
    [{ form: {} }, 'asked'],
    [{ form: {}, url: {} }, 'asked'],
    [{ form: { applyDefaults: true } }, 'asked'],
    [{ url: {} }, 'confirmation_required'],
    [{ form: true }, 'confirmation_required'],
    [{ form: null, url: {} }, 'confirmation_required'],
    [true, 'confirmation_required'],
    [[], 'confirmation_required'],
    [null, 'confirmation_required'],
    [undefined, 'confirmation_required'],
  ] as const) {
    const capabilities = elicitation === undefined ? { sampling: {} } : { elicitation }
    const answer = await attempt(app, { more: { capabilities } })
    t.equal(codeOf(answer), code, JSON.stringify(elicitation))
  }
  t.ok(visits.every(({ route }) => route === 'books_get'))
})

test('a 2025 client cannot be asked, whatever capabilities it says it has', async t => {
  const { app, books } = await createShelf(t)
  const { state } = await askFirst(app)
  for (const version of ['2025-06-18', '2025-03-26']) {
    const answer = await legacy(
      app,
      'tools/call',
      {
        name: 'books_delete',
        arguments: { book_id: 'b1' },
        capabilities: formCapabilities,
        requestState: state,
        inputResponses: { confirmation: { action: 'accept', content: { confirm: true } } },
      },
      { headers: { 'mcp-protocol-version': version } },
    )
    t.equal(readText(answer).code, 'confirmation_required')
    t.notMatch(answer.json().result, { resultType: 'input_required' })
  }
  t.ok(books.has('b1'))
})

test('without a key to sign with nobody is asked', async t => {
  const { app, books } = await createShelf(t, { mcp: { confirmation: undefined } })
  const answer = await attempt(app)
  t.equal(readText(answer).code, 'confirmation_required')
  t.ok(books.has('b1'))
})

test('if_match is held against what is shown, before anything is asked', async t => {
  const { app, books } = await createShelf(t)
  const args = (if_match: unknown) => ({ args: { book_id: 'b1', if_match } })
  const outdated = await attempt(app, args('"0"'))
  t.equal(outdated.json().result.isError, true)
  t.match(readText(outdated), { code: 'precondition_failed', status: 412, title: 'The record has changed' })
  t.equal(codeOf(await attempt(app, args('"0", "2"'))), 'precondition_failed')
  for (const given of ['"1"', '*', ' "0" , "1"'])
    t.equal(codeOf(await attempt(app, args(given))), 'asked', given)
  t.equal(books.size, 3)
})

test('without a preview the question names the arguments, and nothing is read', async t => {
  const { app } = await createShelf(t, {
    routes: api =>
      api.post(
        '/send',
        {
          schema: {
            operationId: 'send',
            summary: 'Send out',
            body: z.strictObject({ to: z.string(), if_match: z.string().optional() }),
            response: { 200: z.object({}) },
          },
          config: { scopes: [], mcp: { destructive: true } },
        },
        async () => ({}),
      ),
  })
  const args = { to: 'eve”\nconfirm: yes', if_match: '"any"' }
  const { message } = await askFirst(app, { name: 'send', args })
  t.equal(message, 'Send out? With: to “eve" confirm: yes”, if_match “"any"”.')
})

test('a preview may be mapped, arguments of its query too', async t => {
  const { app, visits } = await createShelf(t, {
    routes: api =>
      api.post(
        '/publish',
        {
          schema: {
            operationId: 'publish',
            summary: 'Publish',
            body: z.strictObject({ most: z.number().optional() }),
            response: { 200: z.object({}) },
          },
          config: {
            scopes: [],
            mcp: {
              destructive: true,
              preview: { tool: 'books_list', arguments: { limit: 'most' } },
              question: 'Publish {data}, at most {arguments.most}?',
            },
          },
        },
        async () => ({}),
      ),
  })
  const { message } = await askFirst(app, { name: 'publish', args: { most: 1 } })
  t.match(message, /^Publish “\{"id":"b1".*…”, at most 1\?$/)
  t.match(visits, [{ route: 'books_list', query: { limit: 1 } }])
  t.match(
    (await askFirst(app, { name: 'publish', args: {} })).message,
    /, “\{"id":"b2".*, at most \(none\)\?$/,
  )
  t.equal(codeOf(await attempt(app, { name: 'publish', args: { most: 501 } })), 'validation_failed')
})

test('a tool that is not destructive is not asked about, state or no state', async t => {
  const { app } = await createShelf(t)
  const answer = await attempt(app, { name: 'books_get', state: 'forged', responses: {} })
  t.equal(codeOf(answer), 'done')
  t.equal((await call(app, 'books_get', { book_id: 'b1' })).json().result.resultType, 'complete')
})
