import { test } from 'tap'
import { namesAddress } from '../../../lib/personal-data/names-address.ts'
import { toSpellings } from '../../../lib/personal-data/to-spellings.ts'

test('an address is looked for in each way that its domain is written', async t => {
  const both = ['ana@münchen.example', 'ana@xn--mnchen-3ya.example']
  t.same([...toSpellings('ana@münchen.example')].sort(), both)
  t.same([...toSpellings('ana@xn--mnchen-3ya.example')].sort(), both)
  t.same([...toSpellings('Ana@MÜNCHEN.example')].sort(), both)
  t.same(toSpellings('ana@acme.test'), ['ana@acme.test'])
  t.same(toSpellings('ana@[not a domain'), ['ana@[not a domain'])
})

test('a text names an address', async t => {
  for (const text of [
    'ana@acme.test',
    'ANA@Acme.Test',
    'Ana <ana@acme.test>',
    'from ana@acme.test.',
    '(ana@acme.test), and more',
    'not mana@acme.test, but ana@acme.test',
    '…ana@acme.test',
    '. ana@acme.test',
  ]) {
    t.ok(namesAddress(text, ['ana@acme.test']), text)
  }
})

test('a text that names only a longer address does not', async t => {
  for (const text of [
    'joana@acme.test',
    'maria.ana@acme.test',
    'x+ana@acme.test',
    'éana@acme.test',
    'ana@acme.testing',
    'ana@acme.test.example',
    'ana@acme.test-shop.example',
    'ana@acme',
    '',
  ]) {
    t.notOk(namesAddress(text, ['ana@acme.test']), text)
  }
})
