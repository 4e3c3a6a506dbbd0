import type { FastifyInstance } from 'fastify'
import { test } from 'tap'
import { rankCandidates } from '../../plugins/mcp/completion/rank.ts'
import type { McpOptions } from '../../plugins/mcp/index.ts'
import { legacy, type More, modern } from './toy-client.ts'
import { createShelf, type Shelf } from './toy-shelf.ts'

const source = { tool: 'books_list', labels: ['title'] } as const

const prompts: McpOptions['prompts'] = [
  {
    name: 'explain',
    title: 'Explain a book',
    description: 'Says what a book is about.',
    arguments: [
      { name: 'book', description: 'Its id.', complete: source },
      { name: 'title', description: 'Its title.', complete: { tool: 'books_list', value: 'title' } },
      { name: 'first', description: 'One of the first.', complete: { ...source, arguments: { limit: 1 } } },
      { name: 'wrong', description: 'Nowhere.', complete: { tool: 'books_list', items: 'data.none' } },
      { name: 'owners', description: 'Not there.', complete: { tool: 'books_list', value: 'owner.id' } },
      { name: 'refused', description: 'Too many.', complete: { ...source, arguments: { limit: 501 } } },
      { name: 'free', description: 'Anything.' },
    ],
    tools: ['books_list'],
    render: () => [{ text: 'Explain.' }],
  },
]

const prompt = { type: 'ref/prompt', name: 'explain' }
const template = { type: 'ref/resource', uri: 'toy://shelf/books/{book_id}' }

const ask = (app: FastifyInstance, ref: unknown, argument: unknown, more: More = {}) =>
  modern(app, 'completion/complete', { ref, argument }, more)

/** The completion for an argument of the prompt. */
async function complete({ app }: Shelf, name: string, value: string, more: More = {}) {
  return (await ask(app, prompt, { name, value }, more)).json().result.completion
}

test('what begins with the text comes first, then what has a word that does', t => {
  const candidates = [
    { value: '1', labels: ['Banco São Paulo'] },
    { value: '2', labels: ['Fatura de SÃO PAULO', 'other'] },
    { value: 'sao', labels: [] },
    { value: '3', labels: ['São Paulo'] },
    { value: '4', labels: ['Rio', 'sa\u0303o'] },
    { value: '5', labels: ['isao'] },
    { value: 'sao', labels: ['São'] },
    { value: '6', labels: ['ana@sao.test'] },
  ]
  t.same(rankCandidates(candidates, 'sao'), ['sao', '3', '4', '1', '2', '6'])
  t.same(rankCandidates(candidates, 'SÃO P'), ['3', '1', '2'], 'several words, anywhere')
  t.same(rankCandidates(candidates, 'paulo'), ['1', '2', '3'])
  t.same(rankCandidates(candidates, 'nothing'), [])
  t.same(rankCandidates(candidates, ''), ['1', '2', 'sao', '3', '4', '5', '6'])
  t.same(rankCandidates([], 'a'), [])
  t.end()
})

test('an argument of a prompt or of a template is completed from the list of the caller', async t => {
  const shelf = await createShelf(t, { mcp: { prompts } })
  t.same(await complete(shelf, 'book', ''), { values: ['b1', 'b2'], total: 2, hasMore: false })
  t.same(await complete(shelf, 'book', 'sao pau'), { values: ['b2'], total: 1, hasMore: false })
  t.same(await complete(shelf, 'title', 'FAT'), { values: ['Fatura 4711'], total: 1, hasMore: false })
  t.same(await complete(shelf, 'book', '', { as: 'rob' }), { values: ['b9'], total: 1, hasMore: false })
  const params = { ref: template, argument: { name: 'book_id', value: 'noite' }, context: { arguments: {} } }
  const { result } = (await modern(shelf.app, 'completion/complete', params)).json()
  t.same(result.completion, { values: ['b2'], total: 1, hasMore: false })
  t.equal(result.resultType, 'complete')
  t.equal(result.ttlMs, undefined)
  const old = await legacy(shelf.app, 'completion/complete', params)
  t.same(old.json().result, { completion: { values: ['b2'], total: 1, hasMore: false } })
})

test('at most 100 values, with an honest total', async t => {
  const shelf = await createShelf(t, { mcp: { prompts } })
  for (let index = 100; index < 250; index += 1)
    shelf.books.set(`c${index}`, { title: '', owner: 'usr_ana', addedAt: '', version: 1 })
  const many = await complete(shelf, 'book', 'c')
  t.equal(many.values.length, 100)
  t.equal(many.values[0], 'c100')
  t.match(many, { total: 150, hasMore: true })
  const hundred = await complete(shelf, 'book', 'c1')
  t.match(hundred, { total: 100, hasMore: false })
  t.same(
    await complete(shelf, 'first', 'b'),
    { values: ['b1'], hasMore: true },
    'of a list that goes on, no total',
  )
})

test('an argument with nothing to choose from has no values', async t => {
  const shelf = await createShelf(t, { mcp: { prompts } })
  const none = { values: [], total: 0, hasMore: false }
  for (const name of ['free', 'wrong', 'owners', 'refused'])
    t.same(await complete(shelf, name, 'b'), none, name)
  const caller = { id: 'usr_zoe', clientId: null, scopes: ['notes:read'] }
  const stranger = await createShelf(t, { mcp: { prompts, authenticate: () => caller } })
  t.same(await complete(stranger, 'book', ''), none, 'who may not list')
  t.equal(stranger.visits.length, 0)
})

test('a token that does not cover the list is challenged to step up', async t => {
  const { app } = await createShelf(t, { mcp: { prompts } })
  const answer = await ask(app, prompt, { name: 'book', value: '' }, { as: 'zoe' })
  t.equal(answer.statusCode, 403)
  t.match(answer.headers['www-authenticate'], 'scope="notes:read", error="insufficient_scope"')
})

test('an unknown ref or argument, and what is neither, is -32602', async t => {
  const { app, visits } = await createShelf(t, { mcp: { prompts } })
  const argument = { name: 'book', value: '' }
  for (const [ref, given] of [
    [{ type: 'ref/prompt', name: 'nothing' }, argument],
    [{ type: 'ref/prompt' }, argument],
    [prompt, { name: 'nothing', value: '' }],
    [{ type: 'ref/resource', uri: 'toy://shelf/books/b1' }, argument],
    [{ type: 'ref/resource', uri: 'toy://shelf/books' }, argument],
    [{ type: 'ref/resource', uri: 7 }, argument],
    [template, argument],
    [{ type: 'ref/tool', name: 'explain' }, argument],
    [{}, argument],
    ['explain', argument],
    [undefined, argument],
    [prompt, undefined],
    [prompt, 'book'],
    [prompt, { name: 'book' }],
    [prompt, { name: 'book', value: 7 }],
    [prompt, { value: '' }],
  ]) {
    const answer = await ask(app, ref, given)
    t.equal(answer.json().error?.code, -32602, JSON.stringify([ref, given]))
    t.equal((await legacy(app, 'completion/complete', { ref, argument: given })).json().error?.code, -32602)
  }
  t.same(visits, [])
})
