import { test } from 'tap'
import { find, valuesOf, withOneDigitChanged } from './fixtures/find.ts'

// The example of Receita Federal's own explanation of the alphanumeric CNPJ.
const ALPHANUMERIC = '12ABC34501DE35'
const NUMERIC = '33000167000101'

test('CNPJs, numeric and alphanumeric, are found formatted or not', t => {
  for (const written of ['12.ABC.345/01DE-35', '12ABC34501DE35', '12.abc.345/01de-35', '12ABC345/01DE-35']) {
    t.strictSame(valuesOf('cnpj', `Fornecedor ${written}.`), [ALPHANUMERIC], written)
  }
  const ways = [
    '33.000.167/0001-01',
    '33000167000101',
    '33000167/0001-01',
    '33.000.167/0001\u201301',
    '33.000.167 / 0001 - 01',
    '33 000 167/0001-01',
    '33.000.167/\n0001-01',
    '33.000.167/0001\u201101',
    '(33.000.167/0001-01)',
    '33.000.\u200b167/0001-01',
  ]
  for (const written of ways)
    t.strictSame(valuesOf('cnpj', `CNPJ: ${written}`), [NUMERIC], JSON.stringify(written))
  t.end()
})

test('a CNPJ says which company and establishment it is of', t => {
  t.match(find('cnpj', '12.ABC.345/01DE-35'), [
    { details: { formatted: '12.ABC.345/01DE-35', root: '12ABC345', branch: '01DE', alphanumeric: true } },
  ])
  t.match(find('cnpj', NUMERIC), [{ details: { formatted: '33.000.167/0001-01', alphanumeric: false } }])
  t.end()
})

test('a CNPJ with one wrong digit or letter, at any position, is not reported', t => {
  for (const cnpj of ['33.000.167/0001-01', NUMERIC, '12.ABC.345/01DE-35', ALPHANUMERIC]) {
    const wrong = [...withOneDigitChanged(cnpj)].filter(one => valuesOf('cnpj', one).length > 0)
    t.strictSame(wrong, [], cnpj)
  }
  t.end()
})

test('a wrong letter is not reported, but for those that modulus 11 cannot tell apart', t => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  for (const i of [2, 3, 4, 10, 11]) {
    const right = ALPHANUMERIC.charCodeAt(i)
    const alike = letters.filter(letter => (letter.charCodeAt(0) - right) % 11 === 0)
    const others = letters.map(letter => ALPHANUMERIC.slice(0, i) + letter + ALPHANUMERIC.slice(i + 1))
    const passed = others.flatMap(one => valuesOf('cnpj', one)).map(one => one[i])
    t.strictSame(passed, alike)
  }
  t.end()
})

test('check digits agree with the weights written out, for numeric and alphanumeric CNPJs', t => {
  const wrong: string[] = []
  for (let n = 0; n < 300; n++) {
    const body = (n * 7919 + 12_345_678).toString(36).toUpperCase().padStart(8, 'Z').slice(-8).concat('0001')
    const cnpj = body + toCnpjDigits(body)
    if (valuesOf('cnpj', cnpj)[0] !== cnpj) wrong.push(cnpj)
  }
  t.strictSame(wrong, [])
  t.end()
})

test('repeated characters, longer tokens and the fields of other numbers are no CNPJ', t => {
  const others = [
    '00000000000000',
    '00.000.000/0000-00',
    '11111111111111',
    `${NUMERIC}1`,
    `1${NUMERIC}`,
    `A${NUMERIC}`,
    `${NUMERIC}a`,
    `12345 ${NUMERIC}`,
    `${NUMERIC} 77`,
    `2.${NUMERIC}`,
    'AB CDE FGH/IJKL-00',
  ]
  for (const other of others) t.strictSame(valuesOf('cnpj', other), [], other)
  t.strictSame(
    valuesOf('cnpj', `CNPJ 12345 ${NUMERIC}`),
    [NUMERIC],
    'named, it is one among other numbers too',
  )
  t.end()
})

test('the digits of a boleto, an access key or a Pix code are not taxpayers of their own', t => {
  const key = '43171207364617000135550000000120141000120146'
  const dotted = '43-1712-07.364.617/0001-35-55-000-000.012.014-1-00.012.014-6'
  t.strictSame(valuesOf('cnpj', `CNPJ ${key}`), [])
  t.strictSame(valuesOf('nfe_key', dotted), [key])
  t.strictSame(valuesOf('cnpj', dotted), [])
  t.strictSame(valuesOf('cnpj', `${dotted} emitida por 07.364.617/0001-35`), ['07364617000135'])
  t.end()
})

test('CPFs are found with their hyphen, or by their name', t => {
  const ways = ['529.982.247-25', '529982247-25', '529.982.247\u201325', '529 982 247-25', '529.982.247 - 25']
  for (const written of ways)
    t.strictSame(valuesOf('cpf', `do titular ${written},`), ['52998224725'], written)
  t.strictSame(valuesOf('cpf', 'CPF: 52998224725'), ['52998224725'])
  t.strictSame(valuesOf('cpf', 'CPF/CNPJ do pagador\n52998224725'), ['52998224725'])
  t.match(find('cpf', '529.982.247-25'), [{ details: { formatted: '529.982.247-25' } }])
  t.end()
})

test('eleven digits that nobody calls a CPF are not one, for they may be a telephone', t => {
  t.strictSame(valuesOf('cpf', 'WhatsApp 52998224725'), [])
  t.strictSame(valuesOf('cpf', 'pedido 52998224725'), [])
  t.end()
})

test('a CPF with one wrong digit, at any position, or of one digit repeated is not reported', t => {
  for (const cpf of ['529.982.247-25', '111.444.777-35']) {
    t.equal(valuesOf('cpf', cpf).length, 1)
    t.strictSame(
      [...withOneDigitChanged(cpf)].filter(one => valuesOf('cpf', one).length > 0),
      [],
    )
  }
  for (const digit of '0123456789') {
    const repeated = `${digit.repeat(3)}.${digit.repeat(3)}.${digit.repeat(3)}-${digit.repeat(2)}`
    t.strictSame(valuesOf('cpf', `CPF ${repeated}`), [])
  }
  for (const other of ['1529.982.247-25', '529.982.247-251', '529.982.247-25.1'])
    t.strictSame(valuesOf('cpf', other), [])
  t.end()
})

// Weights as the explanation of Receita Federal lists them, and the values of the characters from a table.
function toCnpjDigits(body: string): string {
  const table = '0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ'
  const digitOf = (characters: string, weights: number[]) => {
    const sum = weights.reduce((all, weight, i) => all + weight * table.indexOf(characters[i] ?? ''), 0)
    return String(sum % 11 < 2 ? 0 : 11 - (sum % 11))
  }
  const first = digitOf(body, [5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2])
  return first + digitOf(body + first, [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2])
}
