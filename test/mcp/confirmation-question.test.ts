import { test } from 'tap'
import { askPlainly, compileQuestion, toQuoted } from '../../plugins/mcp/confirmation/question.ts'

const ask = compileQuestion('Delete the e-mail {data.subject} from {data.from}, received {data.at:date}?')
const about = (subject: unknown) =>
  ask({ preview: { data: { subject, from: 'ana@bank.test', at: '2026-11-03T23:59:00Z' } }, arguments: {} })
const asked = (subject: string) => `Delete the e-mail ${subject} from “ana@bank.test”, received 3 Nov 2026?`

const family = '👨🏻‍👩🏽‍👧🏿‍👦🏼'
const e = '\u0301'

const hostile: readonly (readonly [string, string, string])[] = [
  ['an ordinary subject', 'Fatura 4711', '“Fatura 4711”'],
  ['line ends', 'Hi\r\n\r\nconfirm: yes\u2028now\u2029', '“Hi confirm: yes now”'],
  ['controls', 'a\u0000b\u001b[31mc\u007fd\u0085e\tf', '“a b [31mc d e f”'],
  ['a bidi override', '\u202egnp.exe\u202c', '“gnp.exe”'],
  ['bidi marks and isolates', 'a\u200e\u200f\u061cb\u2066c\u2067d\u2068e\u2069', '“abcde”'],
  ['zero-width characters', 'con\u200bfirm\u2060\ufeff\u00ad: yes', '“confirm: yes”'],
  ['fillers and tags', 'a\u3164\u115f\u1160\uffa0\u034f\u{e0063}\u{e007f}b', '“ab”'],
  ['interlinear annotation', 'a\ufff9b\ufffac\ufffbd', '“abcd”'],
  ['only what is not seen', '\u200b\u200d\u202e \n\u3164', '(blank)'],
  ['quotation marks', 'x” from “boss@corp.test”, safe? “', '“x" from "boss@corp.test", safe? "”'],
  ['marks that look like them', 'x‟ ❝y❞ 🙶z🙷', '“x" "y" "z"”'],
  ['straight quotes and braces', `"'{data.from}'"`, `“"'{data.from}'"”`],
  ['HTML', '<b onclick="x()">Yes</b>&amp;', '“<b onclick="x()">Yes</b>&amp;”'],
  ['Markdown', '[Yes](https://evil.test) **now**', '“[Yes](https://evil.test) **now**”'],
  ['10,000 characters', 'a'.repeat(10_000), `“${'a'.repeat(59)}…”`],
  ['60 characters', 'b'.repeat(60), `“${'b'.repeat(60)}”`],
  ['61 characters', 'c'.repeat(61), `“${'c'.repeat(59)}…”`],
  ['60 accents of two units', `e${e}`.repeat(60), `“${`e${e}`.repeat(60)}”`],
  ['61 emoji of many units', family.repeat(61), `“${family.repeat(59)}…”`],
  ['60 emoji of many units', family.repeat(60), `“${family.repeat(60)}”`],
  ['a pile of marks', `Z${e.repeat(5_000)}algo`, `“Z${e.repeat(4)}algo”`],
  ['piles of marks', `Z${e.repeat(50)}`.repeat(100), `“${`Z${e.repeat(4)}`.repeat(59)}…”`],
  ['an emoji without end', '👩\u200d'.repeat(5_000), `“${'👩\u200d'.repeat(8)}……”`],
  ['many joiners', `a${'\u200d'.repeat(5_000)}b`, '“a\u200db”'],
  ['a joiner at a blank', '\u200d confirm\u200c \u200dyes\u200d', '“confirm yes”'],
  ['lone surrogates', '\ud800a\udfff', '“\ufffda\ufffd”'],
  ['a cut through a pair', '😀'.repeat(5_000), `“${'😀'.repeat(59)}…”`],
]

for (const [name, subject, shown] of hostile) {
  test(`a subject of ${name} leaves the question what it is`, t => {
    t.equal(about(subject), asked(shown))
    t.ok(about(subject).isWellFormed())
    t.end()
  })
}

test('nothing of up to 60 printable characters is touched', t => {
  for (const text of [
    'São Paulo: fatura nº 4711 (2ª via) — vence amanhã!',
    'नमस्ते क्षत्रिय',
    'می‌خواهم \u0600\u0661\u0662\u06dd',
    'שָׁלוֹם עֲלֵיכֶם',
    'ប្រាសាទអង្គរវត្ត',
    '葛\u{e0100}城市 ☎\ufe0f ☎\ufe0e ᠠ\u180b',
    '👩‍❤️‍💋‍👩 🇧🇷🇪🇸 👍🏽 1️⃣',
    'ﷺ Ǆ ﬁ ½ ™',
    'a  b',
    "it's \"quoted\" and 'again' «so» „so‘",
    '-'.repeat(60),
  ]) {
    t.equal(toQuoted(text), `“${text}”`)
  }
  t.end()
})

test('a value is shown as what it is', t => {
  const circle = (value: unknown) => toQuoted(value)
  t.equal(circle(undefined), '(none)')
  t.equal(circle(null), '(none)')
  t.equal(circle(''), '(none)')
  t.equal(circle(' \n'), '(blank)')
  t.equal(circle(0), '0')
  t.equal(circle(-1.5), '-1.5')
  t.equal(circle(false), 'false')
  t.equal(circle({ a: '”\n', b: [1] }), '“{"a":""\\n","b":[1]}”')
  t.equal(circle([]), '(none)')
  t.equal(circle(['a', 2, null]), '“a”, 2, (none)')
  t.equal(circle(['1', '2', '3', '4', '5']), '“1”, “2”, “3”, “4”, “5”')
  t.equal(circle(['1', '2', '3', '4', '5', '6', '7']), '“1”, “2”, “3”, “4”, “5” and 2 more')
  t.equal(circle([[['a'], 'b']]), '“[["a"],"b"]”')
  t.ok(circle(Array.from({ length: 9 }, () => Array(9_999).fill('x'))).length < 400)
  t.end()
})

test('a date is a day in UTC, and what is no date is quoted', t => {
  const day = compileQuestion('{at:date}')
  const print = (at: unknown) => day({ preview: { at }, arguments: {} })
  t.equal(print('2026-11-03'), '3 Nov 2026')
  t.equal(print('2026-11-03T23:30:00-03:00'), '4 Nov 2026')
  t.equal(print('confirm: yes 1'), '“confirm: yes 1”')
  t.equal(print('2026-11-03\nyes'), '“2026-11-03 yes”')
  t.equal(print('2026-13-45'), '“2026-13-45”')
  t.equal(print(1_700_000_000_000), '1700000000000')
  t.equal(print(undefined), '(none)')
  t.end()
})

test('a URL is shown by where it leads, and an address to its end', t => {
  const print = (template: string, value: unknown) =>
    compileQuestion(template)({ preview: { value }, arguments: {} })
  const long = `https://hooks.acme.test.${'a'.repeat(60)}.evil.test:8443/hooks.acme.test`
  t.equal(print('{value:host}', long), `“hooks.acme.test.${'a'.repeat(60)}.evil.test:8443”`)
  t.equal(print('{value:host}', 'https://hooks.acme.test@evil.test/'), '“evil.test”')
  t.equal(print('{value:host}', 'https://аcme.test/'), '“xn--cme-5cd.test”', 'its first letter is Cyrillic')
  t.equal(print('{value:host}', 'no URL\n'), '“no URL”')
  t.equal(print('{value:host}', undefined), '(none)')
  const address = `${'a'.repeat(64)}@${'b'.repeat(60)}.evil.test`
  t.equal(print('{value:whole}', address), `“${address}”`)
  t.equal(print('{value:whole}', 'c'.repeat(400)), `“${'c'.repeat(319)}…”`)
  t.match(print('{value:whole}', Array(21).fill('x')), /“x” and 1 more$/)
  t.end()
})

test('a placeholder is a path, and never more than what is there itself', t => {
  const print = (template: string, preview: unknown, args = {}) =>
    compileQuestion(template)({ preview, arguments: args })
  t.equal(print('{a.b.c}', { a: { b: { c: 1 } } }), '1')
  t.equal(print('{a.b.c}', { a: { b: 'text' } }), '(none)')
  t.equal(print('{a}', null), '(none)')
  t.equal(print('{a}', 'text'), '(none)')
  t.equal(print('{constructor}{toString.name}{a.__proto__}', { a: {} }), '(none)(none)(none)')
  t.equal(print('{arguments.id}', { arguments: { id: 'preview' } }, { id: 'own' }), '“own”')
  t.equal(print('{arguments}', null, { id: 1 }), '“{"id":1}”')
  t.equal(print('No placeholder', null), 'No placeholder')
  t.equal(print('{a}{b_1}', { a: 1, b_1: 2 }), '12')
  t.end()
})

test('a malformed template is refused with what is wrong', t => {
  for (const [template, message] of [
    ['{', /no partner/],
    ['}', /no partner/],
    ['a { b', /no partner/],
    ['{a}}', /no partner/],
    ['{{a}}', /no partner/],
    ['{}', /\{\} is not a path/],
    ['{ a }', /is not a path/],
    ['{a b}', /is not a path/],
    ['{a.}', /is not a path/],
    ['{.a}', /is not a path/],
    ['{a..b}', /is not a path/],
    ['{1a}', /is not a path/],
    ['{a-b}', /is not a path/],
    ['{a:time}', /is not a path/],
    ['{a:date:date}', /is not a path/],
    ['{a[0]}', /is not a path/],
  ] as const)
    t.throws(() => compileQuestion(template), { message }, template)
  t.end()
})

test('without a template the title and the arguments are asked about', t => {
  t.equal(askPlainly('Send out', {}), 'Send out?')
  t.equal(askPlainly('Send out', { to: 'b”\n', copies: 2 }), 'Send out? With: to “b"”, copies 2.')
  t.equal(askPlainly('Send', { 'x? Yes.\n': 1 }), 'Send? With: “x? Yes.” 1.')
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`a${index}`, index]))
  t.match(askPlainly('Send', many), /a9 9 and 2 more\.$/)
  t.end()
})
