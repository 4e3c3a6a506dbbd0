import type { FastifyInstance } from 'fastify'
import { test } from 'tap'
import { z } from 'zod'
import { askFirst, attempt, codeOf, yes } from './confirmation-client.ts'
import { call, legacy, type More, modern, readText, textOf } from './toy-client.ts'
import { createNotes } from './toy-notes.ts'
import { createShelf } from './toy-shelf.ts'

const searching = { mcp: { listing: 'search' } } as const
const viaCall = (name: string, args: object = {}) => ({ name, arguments: args })

async function search(app: FastifyInstance, args: object, more?: More): Promise<readonly string[]> {
  const { tools } = readText(await call(app, 'search_tools', args, more))
  return tools.map(({ name }: { name: string }) => name)
}

test('what is wrong with the arguments is said by name, and by an error of the tool', async t => {
  const { app } = await createNotes(t, searching)
  for (const [name, args, path] of [
    ['search_tools', {}, 'query'],
    ['search_tools', { query: 7 }, 'query'],
    ['search_tools', { query: 'x'.repeat(501) }, 'query'],
    ['search_tools', { query: 'notes', limit: 51 }, 'limit'],
    ['search_tools', { query: 'notes', colour: 'red' }, 'colour'],
    ['describe_tool', {}, 'name'],
    ['call_tool', {}, 'name'],
    ['call_tool', { name: 'notes_list', arguments: [] }, 'arguments'],
    ['call_tool', { name: 'notes_list', args: {} }, 'args'],
  ] as const) {
    const answer = await call(app, name, args)
    t.equal(answer.json().result.isError, true, `${name} ${JSON.stringify(args)}`)
    t.match(readText(answer), { code: 'validation_failed', errors: [{ path }] })
  }
})

test('through call_tool the refusals are those of the tool itself', async t => {
  const { app, reached } = await createNotes(t, searching)
  for (const [name, args, more] of [
    ['nothing', {}, {}],
    ['search_tools', {}, {}],
    ['notes_get', { note_id: 'missing' }, {}],
    ['notes_get', { note_id: '..' }, {}],
    ['notes_list', { limit: 0 }, {}],
    ['notes_create', { title: 'a' }, { as: 'rob' }],
    ['notes_create', { title: 'a' }, { as: 'vera' }],
    ['notes_delete', { note_id: 'a' }, {}],
  ] as const) {
    const [through, byName] = [
      await call(app, 'call_tool', viaCall(name, args), more),
      await call(app, name, args, more),
    ]
    if (name === 'search_tools') {
      t.equal(through.json().error.code, -32602, 'it is no tool of the API')
      continue
    }
    t.equal(through.statusCode, byName.statusCode, name)
    t.equal(through.headers['www-authenticate'], byName.headers['www-authenticate'])
    const plain = (text: string) => text.replaceAll(/req-\w+/g, 'req')
    t.equal(plain(through.body), plain(byName.body), `${name}: ${through.body}`)
  }
  t.notOk(reached.some(({ route }) => route === 'notes_delete' || route === 'notes_create'))
})

test('three tools are listed, to everybody and in every version, and nothing else', async t => {
  const { app } = await createNotes(t, searching)
  const names = ['call_tool', 'describe_tool', 'search_tools']
  for (const as of ['ana', 'zoe']) {
    const { tools } = (await modern(app, 'tools/list', {}, { as })).json().result
    t.same(
      tools.map(({ name }: { name: string }) => name),
      names,
    )
    for (const tool of tools) {
      t.match(tool.inputSchema, { type: 'object', additionalProperties: false, properties: {} })
      t.type(tool.annotations.readOnlyHint, 'boolean')
    }
    t.match(tools[0].annotations, { readOnlyHint: false, destructiveHint: true })
    t.match(tools[2].outputSchema, { type: 'object', required: ['tools', 'total'] })
  }
  const old = await legacy(app, 'tools/list', {}, { headers: { 'mcp-protocol-version': '2025-03-26' } })
  t.same(
    old.json().result.tools.map(({ name }: { name: string }) => name),
    names,
  )
  t.notMatch(old.body, /outputSchema|"title":"Search tools"/)
})

test('a search finds by words of name, title and description, the best first', async t => {
  const { app } = await createNotes(t, {
    ...searching,
    routes: app => {
      const add = (name: string, summary: string, description: string) =>
        app.get(
          `/more/${name}`,
          {
            schema: { operationId: name, summary, description, response: { 200: z.object({}) } },
            config: { scopes: [], mcp: true },
          },
          async () => ({}),
        )
      add('invoices_list', 'List invoices', 'Invoices of a café, newest first.')
      add('payments_list', 'List payments', 'What was paid for invoices.')
      add('invoice', 'One of them', 'A document.')
    },
  })
  t.same(await search(app, { query: 'invoice' }), ['invoice', 'invoices_list', 'payments_list'])
  t.same(await search(app, { query: 'INVOICES newest' }), ['invoices_list', 'invoice', 'payments_list'])
  t.same(await search(app, { query: 'payments_list' }), ['payments_list', 'invoices_list', 'notes_list'])
  t.same(await search(app, { query: 'cafe' }), ['invoices_list'], 'without accents')
  t.same(await search(app, { query: 'zebra' }), [])
  t.same(await search(app, { query: 'note' }), await search(app, { query: 'note' }), 'the same every time')
  t.same(await search(app, { query: '', limit: 2 }), ['invoice', 'invoices_list'], 'all, by name')
  const answer = await call(app, 'search_tools', { query: 'update a note', limit: 1 })
  t.match(readText(answer), {
    tools: [
      {
        name: 'notes_update',
        title: 'Update a note',
        arguments: 'note_id: string, title?: string, tags?: string[], if_match?: string',
      },
    ],
    total: 6,
  })
  t.same(answer.json().result.structuredContent, readText(answer))
})

test('nobody finds or reads what they may not use', async t => {
  const { app } = await createNotes(t, searching)
  t.same(await search(app, { query: 'note' }, { as: 'vera' }), ['notes_get', 'notes_list'], 'by permission')
  t.same(await search(app, { query: 'note' }, { as: 'rob' }), ['notes_get', 'notes_list'], 'by scope')
  t.same(await search(app, { query: 'note' }, { as: 'zoe' }), [])
  for (const [name, as] of [
    ['notes_create', 'vera'],
    ['notes_create', 'rob'],
    ['nothing', 'ana'],
    ['call_tool', 'ana'],
  ] as const) {
    const answer = await call(app, 'describe_tool', { name }, { as })
    t.equal(readText(answer).code, 'not_found', `${name} for ${as}`)
  }
})

test('a tool is described as a list of all would show it', async t => {
  const all = await createNotes(t)
  const { app } = await createNotes(t, searching)
  for (const version of ['2025-06-18', '2025-03-26']) {
    const more = { headers: { 'mcp-protocol-version': version } }
    for (const tool of (await legacy(all.app, 'tools/list', {}, more)).json().result.tools) {
      const answer = await legacy(
        app,
        'tools/call',
        { name: 'describe_tool', arguments: { name: tool.name } },
        more,
      )
      t.same(readText(answer), tool, `${tool.name} in ${version}`)
    }
  }
})

test('a tool answers the same through call_tool and by its name', async t => {
  const { app } = await createNotes(t, searching)
  const args = { q: 'é', limit: 3 }
  const through = await call(app, 'call_tool', viaCall('notes_list', args))
  const byName = await call(app, 'notes_list', args)
  t.equal(textOf(through), textOf(byName))
  t.equal(through.body, byName.body)
  t.match(readText(await call(app, 'call_tool', { name: 'notes_list' })), { data: [{ title: ' 20' }] })
})

test('a destructive tool asks through call_tool as it asks by its name, and the yes is for that tool', async t => {
  const { app, books, visits } = await createShelf(t, searching)
  const through = { name: 'call_tool', args: viaCall('books_delete', { book_id: 'b1' }) }
  const asked = await askFirst(app, through)
  t.equal(asked.message, (await askFirst(app)).message)
  t.match(asked.message, /Fatura 4711/)
  const other = { name: 'call_tool', args: viaCall('books_delete', { book_id: 'b2' }) }
  t.equal(codeOf(await attempt(app, { ...other, state: asked.state, responses: yes })), -32602)
  t.ok(books.has('b1') && books.has('b2'))
  t.equal(codeOf(await attempt(app, { ...through, state: asked.state, responses: yes })), 'done')
  t.notOk(books.has('b1'))
  t.equal(visits.filter(({ route }) => route === 'books_delete').length, 1)
  const again = await askFirst(app, other)
  const byName = { name: 'books_delete', args: { book_id: 'b2' }, state: again.state, responses: yes }
  t.equal(codeOf(await attempt(app, byName)), 'done', 'asked through one, answered by the other')
})

test('the three names are taken in this mode alone', async t => {
  const routes = (app: FastifyInstance) =>
    app.get(
      '/mine',
      {
        schema: { operationId: 'call_tool', summary: 'Mine', response: { 200: z.object({}) } },
        config: { scopes: [], mcp: true },
      },
      async () => ({}),
    )
  const { app } = await createNotes(t, { routes })
  t.same(readText(await call(app, 'call_tool')), {})
  t.equal((await call(app, 'search_tools', { query: 'x' })).json().error.code, -32602)
  const taken = await createNotes(t, { ...searching, routes })
  await t.rejects(async () => taken.app.ready(), { code: 'MCP_ERR_TOOL_NAME_TAKEN' })
})
