import { test } from 'tap'
import { find, valuesOf, withOneDigitChanged } from './fixtures/find.ts'

// Manual de Orientação do Contribuinte: weighted sum 644, remainder 6, digit 5. A key of the first layouts.
const MANUAL = '52060433009911002506550120000007800267301615'
const NFE = '43171207364617000135550000000120141000120146'
const NFCE = '13181017921427000125650010000000309887251170'
// NT Conjunta 2025.001: letters count as their ASCII code less 48. Sum 841, remainder 5, digit 6.
const WITH_LETTERS = '35260912ABC34501DE35550010000000011123456706'

test('the key of an NF-e is decoded', t => {
  const [key] = find('nfe_key', `Chave de acesso: ${NFE}`)
  t.equal(key?.value, NFE)
  t.strictSame(key?.details, {
    model: 'nfe',
    uf: 'RS',
    issued_month: '2017-12',
    issuer_cnpj: '07364617000135',
    issuer_cpf: null,
    series: 0,
    number: 12014,
    emission_type: 1,
    numeric_code: '00012014',
  })
  t.end()
})

test('keys of NFC-e, of the first layouts and with letters are decoded', t => {
  t.match(find('nfe_key', NFCE), [
    { value: NFCE, details: { model: 'nfce', uf: 'AM', number: 30, emission_type: 9 } },
  ])
  t.match(find('nfe_key', MANUAL), [
    {
      value: MANUAL,
      details: { uf: 'GO', series: 12, number: 780, emission_type: null, numeric_code: '026730161' },
    },
  ])
  t.match(find('nfe_key', WITH_LETTERS), [
    { value: WITH_LETTERS, details: { uf: 'SP', issued_month: '2026-09', issuer_cnpj: '12ABC34501DE35' } },
  ])
  t.end()
})

test('a key of a natural person names the CPF', t => {
  const key = toKey({ issuer: '00052998224725', series: '920' })
  t.match(find('nfe_key', key), [{ details: { issuer_cpf: '52998224725', issuer_cnpj: null, series: 920 } }])
  t.strictSame(valuesOf('nfe_key', toKey({ issuer: '00052998224725', series: '001' })), [])
  t.end()
})

test('a key is found in every way that mail prints it', t => {
  const ways = [
    MANUAL.replace(/(....)/g, '$1 '),
    MANUAL.replace(/(....)/g, '$1\u00a0'),
    MANUAL.replace(/(....)/g, '$1.'),
    MANUAL.replace(/(.{24})/, '$1\n'),
    MANUAL.replace(/(.{21})/, '$1\n'),
    `NFe${MANUAL}`,
    `CHAVE ${MANUAL} SERIE 12`,
    '52-0604-33.009.911/0025-06-55-012-000.000.780-026.730.161-5',
    `1234 ${MANUAL} 5678`,
  ]
  for (const way of ways) t.strictSame(valuesOf('nfe_key', way), [MANUAL], JSON.stringify(way))
  t.strictSame(valuesOf('nfe_key', WITH_LETTERS.replace(/(....)/g, '$1 ')), [WITH_LETTERS])
  t.strictSame(valuesOf('nfe_key', `CHAVE DE ACESSO ${WITH_LETTERS}`), [WITH_LETTERS])
  t.end()
})

test('a key with one wrong digit, at any position, is not reported', t => {
  for (const key of [MANUAL, NFE, WITH_LETTERS]) {
    const wrong = [...withOneDigitChanged(key)].filter(one => valuesOf('nfe_key', one).length > 0)
    t.strictSame(wrong, [])
  }
  t.end()
})

test('a key whose digit is right but whose parts cannot be is not reported', t => {
  const bad = {
    'state 10': toKey({ state: '10' }),
    'state 34': toKey({ state: '34' }),
    'month 00': toKey({ month: '2600' }),
    'month 13': toKey({ month: '2613' }),
    'model 57': toKey({ model: '57' }),
    'issuer with wrong digits': toKey({ issuer: '33000167000102' }),
    'small letters': toKey({ issuer: '12ABC34501DE35' }).toLowerCase(),
  }
  for (const [name, key] of Object.entries(bad)) t.strictSame(valuesOf('nfe_key', key), [], name)
  t.strictSame(valuesOf('nfe_key', toKey({})).length, 1, 'the same without a fault')
  t.end()
})

test('every state has its code', t => {
  const codes =
    'RO 11 AC 12 AM 13 RR 14 PA 15 AP 16 TO 17 MA 21 PI 22 CE 23 RN 24 PB 25 PE 26 AL 27 SE 28 BA 29 MG 31 ES 32 RJ 33 SP 35 PR 41 SC 42 RS 43 MS 50 MT 51 GO 52 DF 53'
  const pairs = codes.match(/\w\w \d\d/g) ?? []
  t.equal(pairs.length, 27)
  for (const pair of pairs) {
    const [uf, state = ''] = pair.split(' ')
    t.match(find('nfe_key', toKey({ state })), [{ details: { uf } }])
  }
  t.end()
})

interface Parts {
  state?: string
  month?: string
  issuer?: string
  model?: string
  series?: string
}

// The last digit by trial: with the weight 1 it brings the sum to a multiple of 11, or is 0 where 10 would.
function toKey({
  state = '35',
  month = '2611',
  issuer = '33000167000101',
  model = '55',
  series = '001',
}: Parts) {
  const body = `${state}${month}${issuer}${model}${series}000012345112345678`
  const weights = '4329876543298765432987654329876543298765432'
  const sum = [...body].reduce((all, symbol, i) => all + (symbol.charCodeAt(0) - 48) * Number(weights[i]), 0)
  return body + ([...'0123456789'].find(digit => (sum + Number(digit)) % 11 === 0) ?? '0')
}
