import { call, legacy } from './toy-client.ts'
import { createNotes } from './toy-notes.ts'
import { testBothWays } from './ways.ts'

/** Ids that a client might send to reach what is not the tool's. */
const hostile: readonly unknown[] = [
  '',
  '.',
  '..',
  '...',
  './',
  '../',
  '../secrets',
  '..\\secrets',
  '../../api/secrets',
  '%2e',
  '%2E',
  '%2e%2e',
  '%2E%2e',
  '.%2e',
  '%2e.',
  '%2e%2e%2fsecrets',
  '%252e%252e',
  '..%2fsecrets',
  '..%5csecrets',
  '.;/',
  '..;/secrets',
  '/',
  '//',
  '//evil.test/secrets',
  '\\',
  'http://evil.test/api/secrets',
  'a/raw',
  'a%2fraw',
  '/raw',
  'raw',
  'a?q=1',
  '?',
  '#',
  'a#b',
  '#/../secrets',
  '%',
  '%zz',
  '%c0%ae%c0%ae',
  '%00',
  '\u0000',
  'a\u0000b',
  '\r\n',
  'a\r\nHost: evil.test',
  '\t.\t.',
  '.\t.',
  '.\n.',
  '\t',
  ' ',
  ' .. ',
  '\u007f',
  '\u2024\u2024',
  '\uff0e\uff0e',
  '．．',
  '\ud800',
  '\udc00..',
  'a\ud800',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  ':note_id',
  '*',
  ':',
  '::',
  'é🙂日本',
  "'; drop table notes; --",
  'a'.repeat(100),
  'a'.repeat(101),
  'a'.repeat(5_000),
  '../'.repeat(1_700),
  '%2e'.repeat(1_700),
  '日'.repeat(5_000),
  null,
  true,
  0,
  -1,
  1e300,
  [],
  ['..'],
  ['secrets'],
  {},
  { toString: 'secrets' },
]

for (const [tool, route] of [
  ['notes_get', 'notes_get'],
  ['notes_update', 'notes_update'],
  ['notes_mark_read', 'notes_mark_read'],
] as const) {
  testBothWays(`no id takes ${tool} anywhere but to its own route, as one value`, async t => {
    const { app, reached } = await createNotes(t)
    for (const id of hostile) {
      reached.length = 0
      const name = JSON.stringify(id).slice(0, 40)
      const answer = await call(app, tool, { note_id: id })
      t.equal(answer.statusCode, 200, name)
      t.notMatch(answer.body, '"secret"')
      if (answer.json().result.isError === true) t.same(reached, [], `${name}: refused before anything ran`)
      else t.match(reached, [{ route, params: { note_id: String(id) } }], `${name}: arrived as it was sent`)
      t.ok(reached.length <= 1)
    }
  })
}

testBothWays('ids that mean this or the parent directory are refused as arguments', async t => {
  const { app, reached } = await createNotes(t)
  for (const id of [
    '',
    '.',
    '..',
    '%2e',
    '%2E%2e',
    '.%2E',
    '\ud800',
    'a'.repeat(5_000),
    null,
    [],
    {},
    undefined,
  ]) {
    for (const answer of [
      await call(app, 'notes_get', { note_id: id }),
      await legacy(app, 'tools/call', { name: 'notes_get', arguments: { note_id: id } }),
    ]) {
      const { content, isError } = answer.json().result
      t.equal(isError, true, JSON.stringify(id)?.slice(0, 40))
      t.match(JSON.parse(content[0].text), { code: 'validation_failed', errors: [{ path: 'note_id' }] })
    }
  }
  t.same(reached, [])
})

testBothWays('an id is encoded once, whatever is in it', async t => {
  const { app, reached } = await createNotes(t)
  for (const id of [
    'a/b',
    'a%2fb',
    'a b',
    'a?b',
    'a#b',
    'a%',
    '%41',
    'é',
    '🙂',
    '\u0000',
    'a\\b',
    '...',
    ';',
    '+',
  ]) {
    await call(app, 'notes_get', { note_id: id })
    t.same(reached.pop()?.params, { note_id: id }, id)
  }
})

testBothWays('an id longer than the router takes is refused as over REST', async t => {
  const { app, reached } = await createNotes(t)
  const answer = await call(app, 'notes_get', { note_id: 'a'.repeat(500) })
  t.equal(answer.json().result.isError, true)
  t.match(JSON.parse(answer.json().result.content[0].text), { code: 'FST_ERR_MAX_PARAM_LENGTH' })
  t.same(reached, [])
  const wide = await createNotes(t, { server: { routerOptions: { maxParamLength: 1_000 } } })
  await call(wide.app, 'notes_get', { note_id: 'a'.repeat(500) })
  t.equal(wide.reached.length, 1)
})

testBothWays(
  'where an application rewrites URLs, what does not reach the route of the tool is not run',
  async t => {
    const { app, reached } = await createNotes(t, {
      server: { rewriteUrl: ({ url = '' }) => url.replace('/api/notes/lost', '/public') },
      routes: app =>
        app.get('/public', async ({ params, query, body }) => {
          reached.push({ route: 'public', params, query, body, user: null })
          return {}
        }),
    })
    const answer = await call(app, 'notes_get', { note_id: 'lost' })
    t.equal(answer.json().result.isError, true)
    t.match(JSON.parse(answer.json().result.content[0].text), { code: 'not_found' })
    t.same(reached, [], 'not even without an identity')
    t.equal((await call(app, 'notes_get', { note_id: 'found' })).json().result.isError, undefined)
  },
)

testBothWays('a router that takes paths in several forms still takes an id for what it is', async t => {
  const { app, reached } = await createNotes(t, {
    server: {
      routerOptions: {
        caseSensitive: false,
        ignoreDuplicateSlashes: true,
        ignoreTrailingSlash: true,
      },
    },
    // The toys have routes that differ in a slash only.
    neighbours: ['/secrets', '/notes/:note_id/raw'],
  })
  for (const id of hostile) {
    await call(app, 'notes_get', { note_id: id })
    t.notOk(
      reached.some(({ route }) => route !== 'notes_get'),
      JSON.stringify(id).slice(0, 40),
    )
  }
})
