import { test } from 'tap'
import { foldText, mostFoldedText } from '../../../lib/rules/fold-text.ts'
import { matchRule, toInboxNames, toRuleSubject } from '../../../lib/rules/match-rule.ts'
import { type RuleCondition, upsertedRule } from '../../../lib/rules/schema.ts'
import { toChanges } from '../../../lib/rules/to-changes.ts'

const subject = {
  ...toRuleSubject({
    from: { address: 'cobranca@banco.example', name: 'Cobrança (evil@other.test)' },
    subject: 'Fatura de MARÇO',
    text: 'Segue a nota\n  fiscal.\u00a0Pagamento até sexta. C++ (a.b) ﬁm',
    extractionKinds: ['boleto', 'cnpj'],
  }),
  inbox: toInboxNames({ id: 'inb_01m8mgq2e8e14t87pjdstsfgj6', address: 'faturas@acme.test' }),
}

const conditions: readonly [RuleCondition['field'], RuleCondition['operator'], string, boolean][] = [
  ['subject', 'equals', 'fatura de marco', true],
  ['subject', 'equals', 'fatura', false],
  ['subject', 'contains', 'MARÇO', true],
  ['subject', 'contains', 'março', true],
  ['subject', 'ends_with', 'Marco', true],
  ['subject', 'ends_with', 'fatura', false],
  ['text', 'contains', 'nota fiscal', true],
  ['text', 'contains', 'fiscal. pagamento', true],
  ['text', 'contains', 'fim', true],
  ['text', 'contains', 'C++ (A.B)', true],
  ['text', 'contains', 'n.ta', false],
  ['text', 'contains', '.*', false],
  ['from', 'equals', 'COBRANCA@banco.example', true],
  ['from', 'equals', 'banco.example', false],
  ['from', 'contains', 'cobrança (', true],
  ['from', 'equals', 'evil@other.test', false],
  ['from', 'ends_with', '@Banco.Example', true],
  ['from', 'ends_with', '@other.test)', false],
  ['from', 'ends_with', '.example', true],
  ['from', 'ends_with', '@example', false],
  ['extraction', 'equals', 'boleto', true],
  ['extraction', 'equals', 'pix', false],
  ['inbox', 'equals', 'Faturas@acme.test', true],
  ['inbox', 'equals', 'inb_01m8mgq2e8e14t87pjdstsfgj6', true],
  ['inbox', 'equals', 'acme.test', false],
]

for (const [field, operator, value, expected] of conditions) {
  test(`${field} ${operator} "${value}": ${expected}`, async t => {
    const rule = { match: 'all' as const, conditions: [{ field, operator, value }] }
    t.same(matchRule(rule, subject), { matched: expected, conditions: [expected] })
  })
}

test('all of the conditions must hold, or any', async t => {
  const yes = { field: 'subject', operator: 'contains', value: 'fatura' } as const
  const no = { field: 'subject', operator: 'contains', value: 'recibo' } as const
  t.same(matchRule({ match: 'all', conditions: [yes, no] }, subject), {
    matched: false,
    conditions: [true, false],
  })
  t.equal(matchRule({ match: 'any', conditions: [no, yes] }, subject).matched, true)
  t.equal(matchRule({ match: 'any', conditions: [no] }, subject).matched, false)
  t.equal(matchRule({ match: 'all', conditions: [yes, yes] }, subject).matched, true)
})

test('what a message lacks matches nothing', async t => {
  const empty = {
    ...toRuleSubject({ from: null, subject: null, text: null, extractionKinds: [] }),
    inbox: [],
  }
  for (const field of ['from', 'subject', 'text'] as const) {
    for (const operator of ['equals', 'contains', 'ends_with'] as const) {
      const value = field === 'from' ? '@a.test' : 'a'
      t.equal(matchRule({ match: 'any', conditions: [{ field, operator, value }] }, empty).matched, false)
    }
  }
})

const rule = { key: 'k', name: 'n', conditions: [], actions: { notify: true } }
const refused: readonly [RuleCondition['field'], RuleCondition['operator'], string][] = [
  ['from', 'ends_with', 'bank.example'],
  ['from', 'ends_with', '@'],
  ['extraction', 'equals', 'invoice'],
  ['extraction', 'contains', 'boleto'],
  ['inbox', 'ends_with', '@acme.test'],
  ['text', 'contains', '\u0301'],
]

for (const [field, operator, value] of refused) {
  test(`is no condition: ${field} ${operator} ${JSON.stringify(value)}`, async t => {
    const parsed = upsertedRule.safeParse({ ...rule, conditions: [{ field, operator, value }] })
    t.match(parsed.error?.issues, [{ path: ['conditions', 0, 'value'] }])
  })
}

test('a text is folded in a time that grows with its length', async t => {
  for (const unit of ['e\u0301', ' \n', '\ufdfa', 'a']) {
    const short = fold(unit.repeat(100_000))
    const long = fold(unit.repeat(400_000))
    // Four times the length; a square would be sixteen times the time, here of seconds.
    t.ok(long < 12 * Math.max(short, 20), `${JSON.stringify(unit)}: ${short} ms, ${long} ms`)
  }
})

/** Milliseconds that folding takes at best: what else the machine does comes on top. */
function fold(text: string): number {
  const times = Array.from({ length: 3 }, () => {
    const began = performance.now()
    foldText(text)
    return performance.now() - began
  })
  return Math.min(...times)
}

test('a text is folded across the edges of the pieces in which that happens', t => {
  const odd = `${'x'.repeat(16_383)}\u{1d400}bc e\u0301 ${'y'.repeat(16_376)}e\u0301`
  t.ok(foldText(odd) === `${'x'.repeat(16_383)}abc e ${'y'.repeat(16_376)}e`)
  t.equal(foldText('\ufdfa'.repeat(1_000_000)).length, mostFoldedText)
  t.end()
})

test('actions change what is not so already, within 20 labels', async t => {
  const marks = { labels: ['a'], read: false }
  t.same(toChanges({ label: ['b', 'a', 'b'], mark: 'read' }, marks), { label: ['b'], mark: 'read' })
  t.same(toChanges({ mark: 'read' }, { labels: [], read: true }), { label: [], mark: null })
  const labels = Array.from({ length: 19 }, (_, index) => `l${index}`)
  t.same(toChanges({ label: ['x', 'y'] }, { labels, read: false }).label, ['x'])
})
