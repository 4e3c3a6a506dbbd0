import { test } from 'tap'
import { toSignature } from '../../plugins/mcp/search/signature.ts'

test('arguments in one line say what each may be', t => {
  const properties = {
    id: { type: 'string' },
    tags: { type: 'array', items: { type: 'string' } },
    either: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'integer' }] } },
    maybe: { type: ['string', 'null'] },
    word: { enum: ['a', 'b'] },
    many: { enum: Array.from({ length: 12 }, (_, index) => index) },
    fixed: { const: 'x' },
    one: { oneOf: [{ type: 'string' }, { type: 'string' }] },
    anything: {},
    listed: { type: 'array' },
    odd: true,
  }
  t.equal(
    toSignature({ type: 'object', properties, required: ['id'] }),
    'id: string, tags?: string[], either?: (string | integer)[], maybe?: string | null, word?: "a" | "b", ' +
      'many?: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | …, fixed?: "x", one?: string, anything?: any, listed?: any[], odd?: any',
  )
  t.equal(toSignature({ type: 'object' }), '')
  t.end()
})
