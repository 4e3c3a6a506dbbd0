import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type Test, test } from 'tap'
import { createShelf, type Shelf } from './toy-shelf.ts'

type Reply = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, boolean> }

/** The official client over a socket; `reply` is what its person does with each form. */
async function connect(t: Test, { app }: Shelf, reply: Reply | null) {
  const forms: string[] = []
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const client = new Client(
    { name: 'desk', version: '1.0.0' },
    {
      versionNegotiation: { mode: { pin: '2026-07-28' } },
      capabilities: reply ? { elicitation: { form: {} } } : {},
    },
  )
  if (reply)
    client.setRequestHandler('elicitation/create', async request => {
      forms.push(request.params.message)
      return reply
    })
  const headers = { authorization: 'Bearer ana' }
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }))
  t.teardown(() => client.close())
  return { client, forms }
}

const question = 'Remove the book “Fatura 4711”, added 3 Nov 2026?'
const call = { name: 'books_delete', arguments: { book_id: 'b1' } }

test('the official client shows the question, and a yes removes the book', async t => {
  const shelf = await createShelf(t)
  const { client, forms } = await connect(t, shelf, { action: 'accept', content: { confirm: true } })
  const result = await client.callTool(call)
  t.same(forms, [question])
  t.notOk(result.isError)
  t.same(result.content, [{ type: 'text', text: '' }])
  t.notOk(shelf.books.has('b1'))
})

for (const [name, reply] of [
  ['declines', { action: 'decline' }],
  ['cancels', { action: 'cancel' }],
  ['leaves the box empty', { action: 'accept', content: { confirm: false } }],
] as const) {
  test(`the official client ${name}, and the book stays`, async t => {
    const shelf = await createShelf(t)
    const { client, forms } = await connect(t, shelf, reply)
    const result = await client.callTool(call)
    t.same(forms, [question])
    t.equal(result.isError, true)
    t.match(JSON.stringify(result.content), 'confirmation_declined')
    t.ok(shelf.books.has('b1'))
  })
}

test('an official client that shows no forms is told so', async t => {
  const shelf = await createShelf(t)
  const { client } = await connect(t, shelf, null)
  const result = await client.callTool(call)
  t.equal(result.isError, true)
  t.match(JSON.stringify(result.content), 'confirmation_required')
  t.ok(shelf.books.has('b1'))
})

test('the official client reads resources, prompts and completions', async t => {
  const shelf = await createShelf(t, {
    mcp: {
      prompts: [
        {
          name: 'tidy',
          title: 'Tidy up',
          description: 'Tidies the shelf.',
          tools: ['books_list'],
          arguments: [
            {
              name: 'book',
              description: 'Where to begin.',
              required: true,
              complete: { tool: 'books_list' },
            },
          ],
          render: ({ book }) => [{ text: `Begin with ${book}.` }, { resource: `toy://shelf/books/${book}` }],
        },
      ],
    },
  })
  const { client } = await connect(t, shelf, null)
  const { resources } = await client.listResources()
  t.same(
    resources.map(({ uri }) => uri),
    ['toy://shelf/books', 'toy://shelf/books/guide'],
  )
  const { resourceTemplates } = await client.listResourceTemplates()
  t.same(
    resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    ['toy://shelf/books/{book_id}'],
  )
  const { contents } = await client.readResource({ uri: 'toy://shelf/books/guide' })
  t.same(contents, [{ uri: 'toy://shelf/books/guide', mimeType: 'text/markdown', text: '# Guide' }])
  t.equal((await client.listPrompts()).prompts[0]?.name, 'tidy')
  const { messages } = await client.getPrompt({ name: 'tidy', arguments: { book: 'b1' } })
  t.match(messages, [
    { role: 'user', content: { type: 'text', text: 'Begin with b1.' } },
    {
      role: 'user',
      content: { type: 'resource', resource: { uri: 'toy://shelf/books/b1', text: /Fatura/ } },
    },
  ])
  const ref = { type: 'ref/prompt', name: 'tidy' } as const
  const { completion } = await client.complete({ ref, argument: { name: 'book', value: 'b' } })
  t.same(completion, { values: ['b1', 'b2'], total: 2, hasMore: false })
})
