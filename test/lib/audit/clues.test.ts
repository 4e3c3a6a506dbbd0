import { test } from 'tap'
import { toClient } from '../../../lib/audit/to-client.ts'
import { resourceTypes, toResource } from '../../../lib/audit/to-resource.ts'
import { createId, idPrefixes } from '../../../lib/id/id.ts'

const nothing = { params: {}, location: null, body: null }

test('every kind of id has a name in the record', async t => {
  t.same(
    idPrefixes.filter(prefix => resourceTypes[prefix] === undefined),
    [],
  )
})

test('what is no id is no resource', async t => {
  const id = createId('eml')
  for (const text of [
    'x',
    '',
    'eml_',
    id.toUpperCase(),
    `${id}0`,
    ` ${id}`,
    `${id}\n`,
    `xyz${id.slice(3)}`,
    '../../etc',
  ])
    t.equal(toResource({ ...nothing, params: { id: text } }), null, text)
  t.equal(toResource({ params: undefined, location: '/api/v1/emails/', body: '{"data":{"id":"x"}}' }), null)
  t.equal(toResource({ ...nothing, body: `{"data":[{"id":"${id}"}]}` }), null, 'a list has no one record')
  t.equal(toResource({ ...nothing, body: `{"data":{"name":"{\\"data\\":{\\"id\\":\\"${id}\\"}}"}}` }), null)
})

test('the resource is that of the path, the last one, then the one created, then the one answered', async t => {
  const [inbox, email, rule] = [createId('inb'), createId('eml'), createId('rul')]
  const all = {
    params: { a: inbox, b: email },
    location: `/api/v1/rules/${rule}`,
    body: `{"data":{"id":"${rule}"}}`,
  }
  t.same(toResource(all), { type: 'email', id: email })
  t.same(toResource({ ...all, params: {} }), { type: 'rule', id: rule })
  t.same(toResource({ ...nothing, body: all.body }), { type: 'rule', id: rule })
})

test('a client is what it says, on one line and bounded, or its first product', async t => {
  t.equal(toClient(null, undefined), null)
  t.equal(toClient({ name: ' \u0000\u202e ', version: '1' }, '(comment)'), null)
  t.same(toClient({ name: 'a\r\nb', version: '' }, 'x/1'), { name: 'a b', version: null })
  t.same(toClient({ name: '\ud800', version: 'v'.repeat(99) }, 'x'), {
    name: '\ufffd',
    version: 'v'.repeat(50),
  })
  t.same(toClient(null, `${'n'.repeat(300)}/2`), { name: 'n'.repeat(100), version: '2' })
  t.same(toClient({ name: '🙂'.repeat(60), version: '' }, 'x')?.name.length, 100)
})
