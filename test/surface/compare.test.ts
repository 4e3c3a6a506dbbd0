import { test } from 'tap'
import { compareSchemas, type Schema, type Side } from './compare-schemas.ts'
import { compareSnapshots } from './compare-snapshots.ts'
import type { Snapshot } from './snapshot.ts'

const object = (properties: Schema, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const text = { type: 'string' }
const nullable = { anyOf: [text, { type: 'null' }] }

/** `breaking`, `compatible`, or `nothing`. */
function kindOf(side: Side, before: Schema, after: Schema): string {
  const kinds = compareSchemas({ path: '', side, before, after }).map(({ kind }) => kind)
  return kinds.includes('breaking') ? 'breaking' : (kinds[0] ?? 'nothing')
}

const pairs: readonly (readonly [string, Schema, Schema, string, string])[] = [
  // What changed, before, after, for what a client sends, for what it gets.
  ['nothing', object({ a: text }), object({ a: text }), 'nothing', 'nothing'],
  ['a description', { description: 'a' }, { description: 'b' }, 'nothing', 'nothing'],
  ['one more', object({}), object({ a: text }), 'compatible', 'compatible'],
  ['one more that is required', object({}), object({ a: text }, ['a']), 'breaking', 'compatible'],
  ['one less', object({ a: text }), object({}), 'breaking', 'breaking'],
  ['required', object({ a: text }), object({ a: text }, ['a']), 'breaking', 'nothing'],
  ['not required', object({ a: text }, ['a']), object({ a: text }), 'nothing', 'breaking'],
  ['another type', text, { type: 'integer' }, 'breaking', 'breaking'],
  ['a wider type', { type: 'integer' }, { type: 'number' }, 'compatible', 'breaking'],
  ['null as well', text, { type: ['string', 'null'] }, 'compatible', 'breaking'],
  ['no type', text, {}, 'compatible', 'breaking'],
  ['a type', {}, text, 'breaking', 'compatible'],
  ['a value less', { enum: ['a', 'b'] }, { enum: ['a'] }, 'breaking', 'breaking'],
  ['a value more', { enum: ['a'] }, { enum: ['a', 'b'] }, 'compatible', 'compatible'],
  ['another constant', { const: 'a' }, { const: 'b' }, 'breaking', 'breaking'],
  ['values', text, { type: 'string', enum: ['a'] }, 'breaking', 'compatible'],
  ['no values', { type: 'string', enum: ['a'] }, text, 'compatible', 'breaking'],
  ['a lower limit', { maximum: 10 }, { maximum: 9 }, 'breaking', 'nothing'],
  ['a higher limit', { maxLength: 10 }, { maxLength: 11 }, 'compatible', 'nothing'],
  ['a limit', {}, { minItems: 1 }, 'breaking', 'nothing'],
  ['a pattern', text, { type: 'string', pattern: '^a' }, 'breaking', 'nothing'],
  ['no pattern', { type: 'string', pattern: '^a' }, text, 'compatible', 'nothing'],
  ['closed', { type: 'object' }, { type: 'object', additionalProperties: false }, 'breaking', 'nothing'],
  ['below', object({ a: object({ b: text }) }), object({ a: object({}) }), 'breaking', 'breaking'],
  ['in a list', { items: text }, { items: { type: 'null' } }, 'breaking', 'breaking'],
  ['an alternative less', nullable, { anyOf: [text] }, 'breaking', 'compatible'],
  ['an alternative more', { anyOf: [text] }, nullable, 'compatible', 'breaking'],
  ['within an alternative', nullable, { anyOf: [{ enum: ['a'] }, { type: 'null' }] }, 'breaking', 'breaking'],
  [
    'behind a reference',
    { properties: { a: { $ref: '#/$defs/b' } }, $defs: { b: text } },
    { properties: { a: { $ref: '#/$defs/c' } }, $defs: { c: { type: 'null' } } },
    'breaking',
    'breaking',
  ],
]

test('changes of a schema', async t => {
  for (const [name, before, after, input, output] of pairs) {
    t.equal(kindOf('input', before, after), input, `${name}, sent`)
    t.equal(kindOf('output', before, after), output, `${name}, received`)
  }
})

test('a schema that contains itself is compared to an end', async t => {
  const tree = { properties: { child: { $ref: '#/$defs/tree' } }, $defs: {} }
  const before = { ...tree, $defs: { tree } }
  t.equal(kindOf('input', before, before), 'nothing')
})

const annotations = { destructiveHint: false }
const get = { name: 'get', description: 'Gets.', inputSchema: object({ id: text }, ['id']), annotations }
const find = { name: 'find', title: 'Find', arguments: [{ name: 'what', required: false }] }
const me = { name: 'me', uri: 'x://me', mimeType: 'application/json' }
const empty: Snapshot = {
  instructions: ['Hello.'],
  roles: { viewer: { hidden: [] } },
  tools: [get],
  resources: [me],
  resourceTemplates: [],
  prompts: [find],
}

test('changes of the surface', async t => {
  const changes = (change: Partial<Snapshot>, before = empty) =>
    compareSnapshots(before, { ...before, ...change }).map(({ kind, text }) => `${kind}: ${text}`)
  t.same(changes({}), [])
  t.same(changes({ instructions: ['Hi.'] }), ['compatible: instructions: other words'])
  t.same(changes({ tools: [] }), ['breaking: tool get removed'])
  t.same(changes({ tools: [{ ...get, name: 'read' }] }), [
    'breaking: tool get removed',
    'compatible: tool read added',
  ])
  t.same(changes({ tools: [{ ...get, description: 'Reads.' }] }), ['compatible: tool get: other words'])
  t.same(changes({ tools: [{ ...get, inputSchema: object({ id: text, page: text }, ['id', 'page']) }] }), [
    'breaking: tool get argument .page is required and new',
  ])
  t.same(changes({ tools: [{ ...get, annotations: { destructiveHint: true } }] }), [
    'breaking: tool get: destructiveHint false became true',
  ])
  t.same(changes({ tools: [{ ...get, outputSchema: {} }] }), ['compatible: tool get: outputSchema added'])
  t.same(changes({ resources: [{ ...me, uri: 'x://you' }] }), [
    'breaking: resource x://me removed',
    'compatible: resource x://you added',
  ])
  t.same(changes({ resources: [{ ...me, mimeType: 'text/plain' }] }), [
    'breaking: resource x://me: application/json became text/plain',
  ])
  t.same(changes({ prompts: [{ ...find, arguments: [{ name: 'what', required: true }] }] }), [
    'breaking: prompt find argument .what is required from now on',
  ])
  t.same(changes({ prompts: [{ ...find, arguments: [] }] }), ['breaking: prompt find argument .what removed'])
  const hidden = { viewer: { hidden: ['get'] } }
  t.same(changes({ roles: hidden }), ['breaking: viewer: get is not listed any more'])
  t.same(changes({ roles: empty.roles }, { ...empty, roles: hidden }), [
    'compatible: viewer: get is listed from now on',
  ])
})
