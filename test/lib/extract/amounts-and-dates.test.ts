import { test } from 'tap'
import { find, valuesOf } from './fixtures/find.ts'

test('amounts in reais are read as Brazil writes them', t => {
  const written = [
    ['R$ 1.234,56', 'BRL 1234.56'],
    ['R$1.234,56', 'BRL 1234.56'],
    ['R$\u00a01.234,56', 'BRL 1234.56'],
    ['R$\n1.234,56', 'BRL 1234.56'],
    ['R$ 1234,56', 'BRL 1234.56'],
    ['R$ 1.234', 'BRL 1234.00'],
    ['R$ 50', 'BRL 50.00'],
    ['R$ 0,05', 'BRL 0.05'],
    ['R$ 12,5', 'BRL 12.50'],
    ['R$ 12.345.678.901,23', 'BRL 12345678901.23'],
    ['R$ 1,234.56', 'BRL 1234.56'],
    ['R$ 1234.56', 'BRL 1234.56'],
    ['-R$ 10,00', 'BRL -10.00'],
    ['R$ -10,00', 'BRL -10.00'],
    ['R$ \u221210,00', 'BRL -10.00'],
    ['R$ 0,00', 'BRL 0.00'],
  ] as const
  for (const [text, value] of written)
    t.strictSame(valuesOf('amount', `Total: ${text}.`), [value], JSON.stringify(text))
  t.end()
})

test('amounts with an ISO code or a foreign sign are read on either side', t => {
  const written = [
    ['BRL 1234.56', 'BRL 1234.56'],
    ['BRL1.234,56', 'BRL 1234.56'],
    ['1234.56 BRL', 'BRL 1234.56'],
    ['US$ 1,234.50', 'USD 1234.50'],
    ['USD 1,234', 'USD 1234.00'],
    ['1,234.56 USD', 'USD 1234.56'],
    ['€ 99,90', 'EUR 99.90'],
    ['£5', 'GBP 5.00'],
  ] as const
  for (const [text, value] of written) t.strictSame(valuesOf('amount', text), [value], text)
  t.strictSame(valuesOf('amount', '10 USD 20 BRL'), ['USD 10.00', 'BRL 20.00'])
  t.strictSame(valuesOf('amount', 'USD 10 BRL 20'), ['USD 10.00', 'BRL 20.00'])
  t.match(find('amount', 'R$ 1.234,56'), [{ details: { amount: '1234.56', currency: 'BRL' } }])
  t.end()
})

test('what is not an amount, or could be two, is left out', t => {
  const others = [
    'R$ 1,234',
    'USD 1.234',
    'R$ 2 milhões',
    'R$ 1,5 mi',
    'R$ 300 mil',
    'R$ 10k',
    'R$ 5%',
    'R$ 1.23.456',
    'R$ 12,345,6',
    'R$ 1.234,567',
    'R$ ,50',
    'R$',
    '1.234,56',
    'PR$ 10,00',
    'BRLX 10',
    'ABRL 10,00',
    '$ 10',
    'R$ 12345678901234567890123456789',
  ]
  for (const other of others) t.strictSame(valuesOf('amount', other), [], other)
  t.end()
})

test('no cent is lost, whatever the size', t => {
  for (let cents = 1n; cents < 10n ** 15n; cents = cents * 7n + 3n) {
    const whole = String(cents / 100n)
    const rest = String(cents % 100n).padStart(2, '0')
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, '.')
    t.strictSame(valuesOf('amount', `R$ ${grouped},${rest}`), [`BRL ${whole}.${rest}`])
  }
  t.end()
})

test('the place of an amount leaves the punctuation of the sentence out', t => {
  const text = 'Pague R$ 1.234,56, ou R$ 99.'
  const places = find('amount', text).map(({ found }) =>
    text.slice(found.offset, found.offset + found.length),
  )
  t.strictSame(places, ['R$ 1.234,56', 'R$ 99'])
  t.end()
})

test('dates are read as numbers, as ISO and in words', t => {
  const written = [
    ['03/11/2026', '2026-11-03'],
    ['3/11/2026', '2026-11-03'],
    ['03-11-2026', '2026-11-03'],
    ['03.11.2026', '2026-11-03'],
    ['venc.03/11/2026', '2026-11-03'],
    ['2026-11-03', '2026-11-03'],
    ['2026-11-03T10:00:00Z', '2026-11-03'],
    ['3 de novembro de 2026', '2026-11-03'],
    ['3 de Novembro, 2026', '2026-11-03'],
    ['1º de março de 2027', '2027-03-01'],
    ['15 DE MARCO DE 2027', '2027-03-15'],
    ['3\u00a0de novembro\nde 2026', '2026-11-03'],
    ['29/02/2028', '2028-02-29'],
    ['31/12/1999', '1999-12-31'],
  ] as const
  for (const [text, day] of written)
    t.strictSame(valuesOf('date', `em ${text}.`), [day], JSON.stringify(text))
  t.match(
    find('date', '03/11/2026 2027-01-02 4 de maio de 2028').map(one => one.details.written),
    ['numeric', 'iso', 'long'],
  )
  t.end()
})

test('days that the calendar does not have, and numbers that only look like dates, are left out', t => {
  const others = [
    '31/02/2026',
    '29/02/2027',
    '31/04/2026',
    '00/11/2026',
    '03/13/2026',
    '2026-02-30',
    '31 de abril de 2026',
    '03/11/26',
    '03/11/20260',
    '103/11/2026',
    '1/03/11/2026',
    '03/11/2026/1',
    '10.11.12.2026',
    '03/11-2026',
    '03/11/1899',
    '03/11/2200',
    '3 novembro 2026',
  ]
  for (const other of others) t.strictSame(valuesOf('date', other), [], other)
  t.end()
})

test('every day of four years is read, and none that is not a day', t => {
  const read: string[] = []
  for (let year = 2026; year < 2030; year++) {
    for (let month = 1; month <= 12; month++) {
      const written = Array.from({ length: 31 }, (_, day) => `${day + 1}/${month}/${year}`).join(' ')
      read.push(...valuesOf('date', written))
    }
  }
  const days: string[] = []
  for (
    const day = new Date('2026-01-01');
    day < new Date('2030-01-01');
    day.setUTCDate(day.getUTCDate() + 1)
  ) {
    days.push(day.toISOString().slice(0, 10))
  }
  t.strictSame(read, days)
  t.end()
})

test('every month has its name', t => {
  const format = new Intl.DateTimeFormat('pt-BR', { dateStyle: 'long', timeZone: 'UTC' })
  for (let month = 0; month < 12; month++) {
    const day = new Date(Date.UTC(2026, month, 9))
    t.strictSame(valuesOf('date', format.format(day)), [day.toISOString().slice(0, 10)])
  }
  t.end()
})
