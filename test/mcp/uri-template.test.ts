import { test } from 'tap'
import { compileUriTemplate } from '../../plugins/mcp/resources/uri-template.ts'

const template = compileUriTemplate('toy://shelf/books/{id}/pages/{page}')

test('a URI of the form gives its values, decoded; and the values give the URI back', t => {
  t.same(template.names, ['id', 'page'])
  for (const [id, uri] of [
    ['b1', 'b1'],
    ['a/b', 'a%2Fb'],
    ['a b?c#d', 'a%20b%3Fc%23d'],
    ['..', '..'],
    ['%2e%2e', '%252e%252e'],
    ["!'()*", '%21%27%28%29%2A'],
    ['~-._', '~-._'],
    ['日本é🙂', '%E6%97%A5%E6%9C%AC%C3%A9%F0%9F%99%82'],
    ['\u0000', '%00'],
    ['__proto__', '__proto__'],
  ] as const) {
    t.equal(template.expand({ id, page: '1' }), `toy://shelf/books/${uri}/pages/1`, id)
    t.same(template.match(`toy://shelf/books/${uri}/pages/1`), { id, page: '1' }, uri)
  }
  t.same(template.match('toy://shelf/books/%62%31/pages/%31'), { id: 'b1', page: '1' })
  t.end()
})

test('a URI of another form is none', t => {
  for (const id of [
    '',
    'a/b',
    '/',
    'a?b',
    'a#b',
    'a b',
    'é',
    '%',
    '%2',
    '%zz',
    '%c0%ae',
    '%ff',
    '%ed%a0%80',
    '\ud800',
    '{id}',
    '!',
    "'",
    '*',
    '\n',
  ])
    t.equal(template.match(`toy://shelf/books/${id}/pages/1`), null, JSON.stringify(id))
  for (const uri of [
    '',
    'toy://shelf/books/b1',
    'toy://shelf/books/b1/pages/1/',
    'toy://shelf/books/b1/pages/1?q=1',
    'toy://shelf/books/b1/pages/1#f',
    'toy://shelf/books/b1/pages/1\n',
    ' toy://shelf/books/b1/pages/1',
    'TOY://shelf/books/b1/pages/1',
    'xtoy://shelf/books/b1/pages/1',
    `toy://shelf/books/${'a'.repeat(5_000)}/pages/1`,
  ])
    t.equal(template.match(uri), null, JSON.stringify(uri).slice(0, 60))
  t.end()
})

test('what cannot be said is not expanded', t => {
  for (const values of [
    {},
    { id: 'a' },
    { id: '', page: '1' },
    { id: 1, page: '1' },
    { id: '\ud800', page: '1' },
    { id: null, page: '1' },
  ])
    t.equal(template.expand(values), null, JSON.stringify(values))
  t.end()
})

test('literal text means itself', t => {
  const odd = compileUriTemplate('toy://a.b+c/(x)|[y]^$*/{id}.json')
  t.same(odd.match('toy://a.b+c/(x)|[y]^$*/1.json'), { id: '1' })
  t.equal(odd.match('toy://axb+c/(x)|[y]^$*/1.json'), null)
  t.same(compileUriTemplate('toy://guide').match('toy://guide'), {})
  t.equal(compileUriTemplate('toy://guide').match('toy://guides'), null)
  t.end()
})

test('the longest URI is matched at once', t => {
  const three = compileUriTemplate('toy://{a}/{b}/{c}/end')
  const started = performance.now()
  t.equal(three.match(`toy://${'-/'.repeat(1_900)}`), null)
  t.equal(three.match(`toy://${'%2e'.repeat(1_300)}`), null)
  t.ok(performance.now() - started < 1_000)
  t.end()
})

test('beyond level 1, and what could be read in two ways, is refused', t => {
  for (const [wrong, message] of [
    ['a:{', 'a brace has no partner'],
    ['a:}', 'a brace has no partner'],
    ['a:{{b}}', 'a brace has no partner'],
    ['a:{}', 'only {name} is understood'],
    ['a:{+b}', 'only {name} is understood'],
    ['a:{?b}', 'only {name} is understood'],
    ['a:{b,c}', 'only {name} is understood'],
    ['a:{b*}', 'only {name} is understood'],
    ['a:{b:3}', 'only {name} is understood'],
    ['a:{b}/{b}', 'a name stands twice'],
    ['a:{b}{c}', 'two values touch'],
    ['a:{b}-{c}', 'two values touch'],
    ['a:{b}.x_{c}', 'two values touch'],
    ['a:{b}%2F{c}', 'two values touch'],
  ] as const)
    t.throws(() => compileUriTemplate(wrong), { message }, wrong)
  t.end()
})
