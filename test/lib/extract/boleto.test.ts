import { test } from 'tap'
import { toMod10 } from '../../../lib/extract/mod10.ts'
import { toMod11Remainder } from '../../../lib/extract/mod11.ts'
import { find, valuesOf, withOneDigitChanged } from './fixtures/find.ts'

// Banco do Brasil's own example of a boleto of R$ 1,00 due on 31 December 2007.
const BANK = '00190500954014481606906809350314337370000000100'
// Collection lines as printed by a power company, a telephone company and Receita Federal (DARF).
const POWER = '83640000001-1 33120138000-2 81288462711-6 08013618155-1'
const TELEPHONE = '846700000017435900240209024050002435842210108119'
const DARF = '85890000460-9 52460179160-5 60759305086-5 83148300001-0'

test('the line of a bank boleto is decoded with its barcode, amount and due date', t => {
  const [boleto] = find('boleto', `Linha digitável: ${BANK}`, { messageDate: '2007-12-01T10:00:00Z' })
  t.equal(boleto?.value, BANK)
  t.strictSame(boleto?.details, {
    type: 'bank',
    barcode: '00193373700000001000500940144816060680935031',
    amount: '1.00',
    currency: 'BRL',
    due_date: '2007-12-31',
    bank_code: '001',
    segment: null,
    company: null,
  })
  t.end()
})

test('a bank boleto is found in every way that mail prints it', t => {
  const ways = [
    '00190.50095 40144.816069 06809.350314 3 37370000000100',
    '00190.50095  40144.816069   06809.350314  3   37370000000100',
    '00190.50095\u00a040144.816069\u00a006809.350314\u00a03\u00a037370000000100',
    '00190.50095 40144.816069\n06809.350314 3 37370000000100',
    '> 00190.50095 40144.816069\r\n> 06809.350314 3 37370000000100',
    '00190 50095 40144 816069 06809 350314 3 37370000000100',
    '0019050095 40144816069 06809350314 3 37370000000100',
    '0019\u200b0500954014481606906809350314337370000000100',
    '0019050095401448160690680935\n0314337370000000100',
    'pague com 00190.50095 40144.816069 06809.350314 3 37370000000100.',
    '001-9 | 00190.50095 40144.816069 06809.350314 3 37370000000100',
    '2026 00190.50095 40144.816069 06809.350314 3 37370000000100 12',
  ]
  for (const way of ways) t.strictSame(valuesOf('boleto', way), [BANK], JSON.stringify(way))
  t.end()
})

test('a bank line with one wrong digit, at any position, is not reported', t => {
  const wrong = [...withOneDigitChanged(BANK)].filter(line => valuesOf('boleto', line).length > 0)
  t.strictSame(wrong, [])
  t.end()
})

test('a line that is too short, too long or parted in odd places is not reported', t => {
  const odd = [
    BANK.slice(1),
    `${BANK}1`,
    `1${BANK}`,
    BANK.replace(/(...)/g, '$1 '),
    BANK.replace(/(\d{7})/g, '$1\n'),
    BANK.replace(/(\d{10})/, '$1,'),
  ]
  for (const line of odd) t.strictSame(valuesOf('boleto', line), [], line)
  t.strictSame(valuesOf('boleto', '0'.repeat(47)), [])
  t.strictSame(valuesOf('boleto', '0'.repeat(48)), [])
  t.end()
})

test('a bank line without a due-date factor has none, and its amount takes all fourteen digits', t => {
  const open = find('boleto', toBankLine({ tail: '00000000000000' }))
  t.match(open, [{ details: { due_date: null, amount: null } }])
  const large = find('boleto', toBankLine({ tail: '09876543210055' }))
  t.match(large, [{ details: { due_date: null, amount: '98765432100.55' } }])
  t.end()
})

test('amounts are exact to the cent', t => {
  for (const cents of ['0000000001', '0000000010', '0000000100', '9999999999', '0123456789']) {
    const expected = `${BigInt(cents) / 100n}.${String(BigInt(cents) % 100n).padStart(2, '0')}`
    const [boleto] = find('boleto', toBankLine({ tail: `1617${cents}` }))
    t.equal(boleto?.details.amount, expected)
  }
  t.end()
})

test('bank lines of every general digit verify, and it is never 0', t => {
  const digits = new Set<string>()
  const missed: string[] = []
  for (let n = 0; n < 200; n++) {
    const line = toBankLine({ free: String(n).padStart(25, '7'), tail: '16170000012345' })
    if (valuesOf('boleto', line)[0] !== line) missed.push(line)
    digits.add(line[32] ?? '')
  }
  t.strictSame(missed, [])
  t.strictSame([...digits].sort(), ['1', '2', '3', '4', '5', '6', '7', '8', '9'])
  t.end()
})

test('collection lines are decoded, by modulus 10 and by modulus 11', t => {
  t.match(find('boleto', `conta de luz ${POWER}`), [
    {
      value: POWER.replace(/\D/g, ''),
      details: {
        type: 'collection',
        barcode: '83640000001331201380008128846271108013618155',
        amount: '133.12',
        due_date: null,
        bank_code: null,
        segment: 'energy_gas',
        company: '0138',
      },
    },
  ])
  t.match(find('boleto', TELEPHONE), [
    {
      value: TELEPHONE,
      details: {
        barcode: '84670000001435900240200240500024384221010811',
        amount: '143.59',
        segment: 'telecommunications',
        company: '0024',
      },
    },
  ])
  t.match(find('boleto', DARF), [{ details: { amount: '46052.46', segment: 'government', company: '0179' } }])
  t.end()
})

test('a collection line with one wrong digit, at any position, is not reported', t => {
  for (const line of [TELEPHONE, POWER.replace(/\D/g, '')]) {
    const wrong = [...withOneDigitChanged(line)].filter(one => valuesOf('boleto', one).length > 0)
    t.strictSame(wrong, [])
  }
  t.end()
})

test('the check digits are those of the worked examples in the layout of FEBRABAN', t => {
  t.equal(toMod10('01230067896'), 3)
  t.equal(toMod10('8220000215048200974123220154098290108605940'), 1)
  // Sums of 176 and 705.
  t.equal(toMod11Remainder('01230067896'), 176 % 11)
  t.equal(toMod11Remainder('8220000215048200974123220154098290108605940'), 705 % 11)
  t.end()
})

test('a quantity in place of the value is no amount', t => {
  const head = '847'
  const rest = `${'1'.padStart(11, '0')}0024${'5'.repeat(25)}`
  const line = toCollectionLine(`${head}${luhn(head + rest)}${rest}`)
  t.match(find('boleto', line), [{ value: line, details: { amount: null } }])
  t.end()
})

test('the free field gives a due date only when it begins with a day near the message', t => {
  const lineOf = (free: string, segment = '4') => {
    const head = `8${segment}6`
    const rest = `${'12345'.padStart(11, '0')}${segment === '6' ? '33000167' : '0024'}${free}`
    return toCollectionLine(`${head}${luhn(head + rest)}${rest}`)
  }
  t.match(find('boleto', lineOf('20261205'.padEnd(25, '9'))), [{ details: { due_date: '2026-12-05' } }])
  t.match(find('boleto', lineOf('20260231'.padEnd(25, '9'))), [{ details: { due_date: null } }])
  t.match(find('boleto', lineOf('19991205'.padEnd(25, '9'))), [{ details: { due_date: null } }])
  t.match(find('boleto', lineOf('20261205'.padEnd(21, '9'), '6')), [
    { details: { due_date: '2026-12-05', segment: 'company', company: '33000167' } },
  ])
  t.end()
})

// Built another way than they are read: Luhn sums that must end in 0, and a search for the digit of modulus 11.
function toBankLine({ free = '1790001043510047910201500', tail }: { free?: string; tail: string }): string {
  const head = '3419'
  const general =
    '123456789'.split('').find(digit => weigh(`${head}${digit}${tail}${free}`) % 11 === 0) ?? '1'
  const fields = [head + free.slice(0, 5), free.slice(5, 15), free.slice(15)]
  return fields.map(field => field + luhn(field)).join('') + general + tail
}

function toCollectionLine(barcode: string): string {
  return (barcode.match(/\d{11}/g) ?? []).map(block => block + luhn(block)).join('')
}

function luhn(digits: string): string {
  const sumOf = (all: string) =>
    [...all]
      .reverse()
      .reduce(
        (sum, digit, i) =>
          sum + Number('0246813579'[Number(digit)]) * (i % 2) + Number(digit) * (1 - (i % 2)),
        0,
      )
  return '0123456789'.split('').find(digit => sumOf(digits + digit) % 10 === 0) ?? ''
}

// Weights of the barcode's 44 positions, 1 for the general digit itself.
function weigh(barcode: string): number {
  const weights = '4329' + '1' + '876543298765432' + '987654329876543298765432'
  return [...barcode].reduce((sum, digit, i) => sum + Number(digit) * Number(weights[i]), 0)
}
