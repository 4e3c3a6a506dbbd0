import type { FastifyInstance } from 'fastify'
import { test } from 'tap'
import { z } from 'zod'
import { legacy, modern } from './toy-client.ts'
import { metadataUrl } from './toy-notes.ts'
import { createShelf } from './toy-shelf.ts'

const books = {
  uri: 'toy://shelf/books',
  name: 'books',
  title: 'All books',
  description: 'List books',
  mimeType: 'application/json',
}
const guide = {
  uri: 'toy://shelf/books/guide',
  name: 'guide_get',
  title: 'The guide',
  description: 'The guide',
  mimeType: 'text/markdown',
  size: 7,
}
const template = {
  uriTemplate: 'toy://shelf/books/{book_id}',
  name: 'books_get',
  title: 'Get a book',
  description: 'One book with its title.',
  mimeType: 'application/json',
}

const read = (app: FastifyInstance, uri: unknown, more = {}) => modern(app, 'resources/read', { uri }, more)

test('resources and templates are listed, each to those who may read it', async t => {
  const { app } = await createShelf(t)
  const complete = {
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'toys', title: 'Toys', version: '1.2.3' } },
  }
  t.same((await modern(app, 'resources/list')).json().result, { resources: [books, guide], ...complete })
  t.same((await modern(app, 'resources/templates/list')).json().result, {
    resourceTemplates: [template],
    ...complete,
  })
  t.same((await legacy(app, 'resources/list')).json().result, { resources: [books, guide] })
  const old = { headers: { 'mcp-protocol-version': '2025-03-26' } }
  const untitled = ({ title: _title, ...rest }: typeof books) => rest
  t.same((await legacy(app, 'resources/list', {}, old)).json().result, {
    resources: [books, guide].map(untitled),
  })
  const { title: _title, ...untitledTemplate } = template
  t.same((await legacy(app, 'resources/templates/list', {}, old)).json().result.resourceTemplates, [
    untitledTemplate,
  ])
  t.same((await legacy(app, 'resources/list', {}, { as: 'zoe' })).json().result, { resources: [guide] })
  t.same((await legacy(app, 'resources/templates/list', {}, { as: 'zoe' })).json().result, {
    resourceTemplates: [],
  })
  const { tools } = (await legacy(app, 'tools/list')).json().result
  t.same(
    tools.map(({ name }: { name: string }) => name),
    ['books_delete', 'books_get', 'books_list'],
    'the guide is no tool',
  )
  t.equal((await legacy(app, 'tools/call', { name: 'guide_get' })).json().error.code, -32602)
})

test('lists come in pages', async t => {
  const { app } = await createShelf(t, { mcp: { pageSize: 1 } })
  const page = (await modern(app, 'resources/list')).json().result
  t.same(page.resources, [books])
  const next = (await modern(app, 'resources/list', { cursor: page.nextCursor })).json().result
  t.same(next.resources, [guide])
  t.equal(next.nextCursor, undefined)
  for (const method of ['resources/list', 'resources/templates/list'])
    t.equal((await modern(app, method, { cursor: 'forged' })).json().error.code, -32602)
  t.equal(
    (await modern(app, 'resources/templates/list', { cursor: page.nextCursor })).json().error.code,
    -32602,
  )
})

test('a document is the body of its route, with its URI and its type', async t => {
  const { app } = await createShelf(t)
  const headers = { authorization: 'Bearer ana' }
  for (const [uri, url, mimeType] of [
    [books.uri, '/api/books', 'application/json'],
    [guide.uri, '/api/guide', 'text/markdown'],
    ['toy://shelf/books/b2', '/api/books/b2', 'application/json'],
    ['toy://shelf/books/%62%32', '/api/books/b2', 'application/json'],
  ] as const) {
    const text = (await app.inject({ url, headers })).body
    const { result } = (await read(app, uri)).json()
    t.same(result.contents, [{ uri, mimeType, text }])
    t.match(result, { resultType: 'complete', ttlMs: 0, cacheScope: 'private' })
    t.same((await legacy(app, 'resources/read', { uri })).json().result, { contents: result.contents })
  }
})

test('a fixed URI comes before a template that it would fit as well', async t => {
  const { app, books, visits } = await createShelf(t)
  books.set('guide', { title: 'A book named so', owner: 'usr_ana', addedAt: '', version: 1 })
  t.equal((await read(app, guide.uri)).json().result.contents[0].text, '# Guide')
  t.match((await read(app, 'toy://shelf/books/%67uide')).json().result.contents[0].text, 'A book named so')
  t.same(
    visits.map(({ route }) => route),
    ['guide_get', 'books_get'],
  )
})

test('what is not there and what is not for the caller is answered alike', async t => {
  const { app } = await createShelf(t, {
    routes: api =>
      api.get(
        '/vault',
        {
          schema: { operationId: 'vault_get', summary: 'The vault', response: { 200: z.object({}) } },
          config: {
            scopes: [],
            permission: 'vault:open',
            mcp: { tool: false, resource: { uri: 'toy://vault' } },
          },
        },
        async () => ({}),
      ),
  })
  for (const uri of [
    'toy://nothing',
    'toy://vault',
    'toy://shelf/books/none',
    'toy://shelf/books/b9',
    '',
    'http://127.0.0.1/',
    'file:///etc/passwd',
  ]) {
    const { error } = (await read(app, uri)).json()
    t.same(error, { code: -32602, message: 'Resource not found', data: { uri } })
    const old = (await legacy(app, 'resources/read', { uri })).json()
    t.same(old.error, { code: -32002, message: 'Resource not found', data: { uri } })
  }
  for (const uri of [undefined, null, 7, {}, ['toy://vault']]) {
    t.equal((await read(app, uri)).json().error.code, -32602)
    t.match((await legacy(app, 'resources/read', { uri })).json().error, {
      code: -32602,
      message: /uri must be/,
    })
  }
})

test('no id leaves its route', async t => {
  const { app, visits } = await createShelf(t)
  const long = 'a'.repeat(5_000)
  for (const id of [
    '.',
    '..',
    '%2e%2e',
    '%2E',
    '%252e%252e',
    '..%2fsecrets',
    '%2e%2e%2Fsecrets',
    'b1/pages',
    'b1%2Fpages',
    'b1%2fpages',
    '?q=1',
    'b1?q=1',
    'b1%3Fq',
    '#',
    'b1#a',
    '%',
    '%zz',
    '%c0%ae',
    '%ff',
    '%00',
    '%0d%0aHost:x',
    '\ud800',
    '%ed%a0%80',
    '',
    '/',
    '//',
    '%5c..%5csecrets',
    long,
    `%2e`.repeat(1_200),
    'b1 ',
  ]) {
    const { error } = (await read(app, `toy://shelf/books/${id}`)).json()
    t.match(error, { code: -32602, message: 'Resource not found' }, JSON.stringify(id).slice(0, 60))
    t.ok(error.data.uri.length <= 1_000)
  }
  t.ok(visits.length > 5)
  t.same(
    visits.filter(({ route }) => route !== 'books_get'),
    [],
  )
})

test('what the route refuses as a mistake is -32602 with its problem', async t => {
  const { app } = await createShelf(t)
  const more = { headers: { 'x-workspace-id': 'closed' } }
  const { error } = (await read(app, books.uri, more)).json()
  t.match(error, { code: -32602, message: 'Invalid params: the resource cannot be read' })
  t.match(JSON.parse(error.data.problem), { code: 'code_409', status: 409 })
  t.equal((await legacy(app, 'resources/read', { uri: books.uri }, more)).json().error.code, -32602)
})

test('an error of the route tells nothing, and a wait is a wait', async t => {
  const { app } = await createShelf(t, {
    routes: api => {
      for (const status of [500, 503])
        api.get(
          `/fails/${status}`,
          {
            schema: { operationId: `fails_${status}`, summary: 'Fails', response: { 200: z.object({}) } },
            config: { scopes: [], mcp: { resource: { uri: `toy://fails/${status}` } } },
          },
          async () => {
            throw Object.assign(new Error('secret'), { statusCode: status, headers: { 'retry-after': '9' } })
          },
        )
    },
  })
  const failed = await read(app, 'toy://fails/500')
  t.equal(failed.json().error.code, -32603)
  t.notMatch(failed.body, 'secret')
  const busy = await read(app, 'toy://fails/503')
  t.equal(busy.statusCode, 503)
  t.equal(busy.headers['retry-after'], '9')
})

test('a token that does not cover the resource is challenged to step up', async t => {
  const { app, visits } = await createShelf(t)
  for (const answer of [
    await read(app, books.uri, { as: 'zoe' }),
    await legacy(app, 'resources/read', { uri: 'toy://shelf/books/b1' }, { as: 'zoe' }),
  ]) {
    t.equal(answer.statusCode, 403)
    const challenge = `Bearer resource_metadata="${metadataUrl}", scope="notes:read", error="insufficient_scope"`
    t.equal(answer.headers['www-authenticate'], challenge)
  }
  t.same(visits, [])
})

test('Mcp-Name repeats the URI, and has to where headers are strict', async t => {
  const lenient = await createShelf(t)
  const strict = await createShelf(t, { mcp: { strictHeaders: true } })
  const codeOf = async ({ app }: { app: FastifyInstance }, name: string | undefined) =>
    (await read(app, guide.uri, { headers: { 'mcp-name': name } })).json().error?.code
  t.equal(await codeOf(lenient, undefined), undefined)
  t.equal(await codeOf(lenient, guide.uri), undefined)
  t.equal(await codeOf(lenient, books.uri), -32020)
  t.equal(await codeOf(strict, undefined), -32020)
  t.equal(await codeOf(strict, guide.uri), undefined)
})

test('capabilities and methods are there when something is registered for them', async t => {
  const { app } = await createShelf(t)
  const { capabilities } = (await modern(app, 'server/discover')).json().result
  t.same(capabilities, { tools: {}, resources: {}, completions: {} })
  const old = (await legacy(app, 'initialize', { protocolVersion: '2025-06-18' })).json().result.capabilities
  t.same(old, {
    tools: { listChanged: false },
    resources: { subscribe: false, listChanged: false },
    completions: {},
  })
  for (const method of ['prompts/list', 'prompts/get', 'resources/subscribe']) {
    const answer = await modern(app, method)
    t.equal(answer.statusCode, 404)
    t.equal(answer.json().error.code, -32601)
  }
})
