import { test } from 'tap'
import { z } from 'zod'
import { createId, idPrefixes, idSchema } from '../../../lib/id/id.ts'

test('an id is its prefix and 26 characters that spell a UUIDv7 of this moment', async t => {
  const before = Date.now()
  const uuid = toUuid(createId('eml'))
  const milliseconds = Number(uuid >> 80n)
  t.ok(milliseconds >= before && milliseconds <= Date.now() + 1)
  t.equal((uuid >> 76n) & 0xfn, 7n, 'version')
  t.equal((uuid >> 62n) & 0b11n, 0b10n, 'variant')
})

test('ids of one process are distinct and sort in the order they were made', async t => {
  const ids = Array.from({ length: 50_000 }, () => createId('eml'))
  t.equal(new Set(ids).size, ids.length)
  t.ok(ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? '')))
})

test('ids made in one millisecond by two processes differ', async t => {
  const random = (id: string) => toUuid(id) & 0x3fff_ffff_ffff_ffffn
  t.not(random(createId('eml')), random(createId('eml')))
})

test('a schema accepts the ids of its prefix and nothing else', async t => {
  const schema = idSchema('eml')
  const id = createId('eml')
  for (const bad of [
    createId('inb'),
    '',
    'eml_',
    id.toUpperCase(),
    `${id}0`,
    id.slice(0, -1),
    `${id}\n`,
    ` ${id}`,
    'eml_8zzzzzzzzzzzzzzzzzzzzzzzzz',
    id.replace(/.$/, 'l'),
    '../eml',
  ]) {
    t.notOk(schema.safeParse(bad).success, JSON.stringify(bad))
  }
  t.equal(schema.parse(id), id)
})

test('the JSON Schema of every prefix has a pattern that its ids match', async t => {
  for (const prefix of idPrefixes) {
    const { pattern, type } = z.toJSONSchema(idSchema(prefix))
    t.equal(type, 'string')
    t.match(createId(prefix), new RegExp(pattern ?? '^$', 'u'))
  }
})

function toUuid(id: string): bigint {
  const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
  return [...id.slice(4)].reduce((value, digit) => (value << 5n) | BigInt(alphabet.indexOf(digit)), 0n)
}
