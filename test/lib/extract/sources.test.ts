import { test } from 'tap'
import { type ExtractionSource, extract, MAX_CHARACTERS, MAX_PER_KIND } from '../../../lib/extract/extract.ts'
import { extractionDetails, extractionKinds, foundIn } from '../../../lib/extract/extraction.ts'
import { find, MESSAGE_DATE, valuesOf } from './fixtures/find.ts'

const BOLETO = '00190.50095 40144.816069 06809.350314 3 37370000000100'
const PIX =
  '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D'
const EVERYTHING = `Boleto ${BOLETO}, Pix ${PIX}
  NF-e 43171207364617000135550000000120141000120146 de 07.364.617/0001-35 para o CPF 529.982.247-25,
  R$ 1.234,56 em 03/11/2026, https://example.com/nota. Seu código de acesso é 482913.`

test('one message gives every kind, in order, as its schema says', t => {
  const all = extract([{ source: 'text', text: EVERYTHING }], { messageDate: MESSAGE_DATE })
  t.strictSame(
    all.map(one => one.kind),
    extractionKinds,
  )
  for (const { kind, details, found } of all) {
    t.strictSame(extractionDetails[kind].parse(details), details, kind)
    t.strictSame(foundIn.parse(found), found)
  }
  t.end()
})

test('places are positions of the source, and excerpts are the words around', t => {
  for (const source of ['text', 'html', 'attachment'] as const) {
    const all = extract([{ source, text: EVERYTHING }], { messageDate: MESSAGE_DATE })
    const written = all.map(({ found }) => EVERYTHING.slice(found.offset, found.offset + found.length))
    t.match(
      written,
      [BOLETO, PIX, /^4317\d{40}$/, '07.364.617/0001-35', '529.982.247-25', 'R$ 1.234,56'],
      source,
    )
  }
  const [amount] = find(
    'amount',
    `${'x'.repeat(99)} pague\r\n\r\n  R$\u00a05,00   até\u0000 dia 9 ${'y'.repeat(99)}`,
  )
  t.match(amount?.found.excerpt, /^x+ pague R\$ 5,00 até dia 9 y+$/)
  t.ok((amount?.found.excerpt?.length ?? 0) <= 240)
  t.end()
})

test('an excerpt never holds half a character', t => {
  const emoji = '😀'.repeat(60)
  const [one] = find('amount', `${emoji}x R$ 5,00 y${emoji}`)
  const [other] = find('amount', `${emoji} R$ 5,00 ${emoji}`)
  for (const excerpt of [one?.found.excerpt, other?.found.excerpt]) {
    t.match(excerpt, /R\$ 5,00/)
    t.notMatch(excerpt, /\p{Cs}/u)
  }
  t.end()
})

test('HTML is read as it is shown: blocks and cells apart, inline marks not, scripts and comments not at all', t => {
  const read = [
    ['<td>00190.50095</td>\n<td>40144.816069</td><td>06809.350314</td><td>3</td><td>37370000000100</td>', 1],
    [
      '00190.50<b>095</b> 40144.<i>816069</i> 06809.<wbr>350314<br>3 3737<span class="x">0000000100</span>',
      1,
    ],
    ['00190.50095&nbsp;40144&#46;816069&#x20;06809.350314 &zwnj;3 37370000000100', 1],
    [`<script>var b = "${BOLETO}"</script>`, 0],
    [`<style>/* ${BOLETO} */</style>`, 0],
    [`<!-- ${BOLETO} -->`, 0],
    [`<template>${BOLETO}</template>`, 0],
    [`<p title="${BOLETO}">x</p>`, 0],
    [`<script>1</script>${BOLETO}`, 1],
    [`<p>${BOLETO}`, 1],
    [`</script></p><b ${BOLETO}`, 0],
  ] as const
  for (const [html, count] of read) t.equal(valuesOf('boleto', html, 'html').length, count, html)
  t.strictSame(valuesOf('cpf', '<p>CPF 529.982.247</p><p>25</p>', 'html'), ['52998224725'])
  t.strictSame(valuesOf('date', '<td>03/11/2026</td><td>04/11/2026</td>', 'html'), [
    '2026-11-03',
    '2026-11-04',
  ])
  t.strictSame(valuesOf('date', '<p>03/11/20</p><p>26</p>', 'html'), [])
  t.end()
})

test('the place of a value in HTML takes its markup in', t => {
  const html = '<p>R$&nbsp;1.2<b>34</b>,5&#54;</p>'
  const [amount] = find('amount', html, { source: 'html' })
  t.equal(amount?.value, 'BRL 1234.56')
  t.equal(html.slice(amount?.found.offset).slice(0, amount?.found.length), 'R$&nbsp;1.2<b>34</b>,5&#54;')
  t.end()
})

test('plain text is read through quotation marks, written-out spaces and invisible characters', t => {
  t.strictSame(valuesOf('amount', 'R$&nbsp;10,00'), ['BRL 10.00'])
  t.strictSame(valuesOf('cnpj', '>> CNPJ 33.000.167/\r\n>> 0001-01'), ['33000167000101'])
  t.strictSame(valuesOf('date', '\ufeff03/1\u00ad1/20\u200d26'), ['2026-11-03'])
  t.end()
})

test('a value is given once, with the first place of the first source that has it', t => {
  const sources: ExtractionSource[] = [
    { source: 'text', text: 'nada' },
    { source: 'html', text: `<p>CNPJ 33000167000101 e 33.000.167/0001-01</p>` },
    { source: 'attachment', attachment_id: 'att_1', text: '33.000.167/0001-01 e 12.ABC.345/01DE-35' },
  ]
  const all = extract(sources, { messageDate: MESSAGE_DATE })
  t.match(all, [
    { value: '33000167000101', found: { source: 'html', offset: 8, length: 14 } },
    {
      value: '12ABC34501DE35',
      found: { source: 'attachment', attachment_id: 'att_1', offset: 21, length: 18 },
    },
  ])
  t.equal(all.length, 2)
  t.notHas(all[0]?.found, 'attachment_id')
  t.end()
})

test('of several forms of a value, the place that comes first in the text counts', t => {
  const text = '3 de novembro de 2026, ou seja, 2026-11-03, ou 03/11/2026'
  t.match(find('date', text), [{ found: { offset: 0, length: 21 }, details: { written: 'long' } }])
  t.end()
})

test('a kind gives at most a hundred values, and the other kinds theirs', t => {
  const amounts = Array.from({ length: 500 }, (_, i) => `R$ ${i + 1},00`).join(' ')
  t.equal(MAX_PER_KIND, 100)
  const sources: ExtractionSource[] = [
    { source: 'text', text: amounts.slice(0, 900) },
    { source: 'html', text: amounts },
    { source: 'attachment', text: '03/11/2026 R$ 9999,00' },
  ]
  const all = extract(sources, { messageDate: MESSAGE_DATE })
  t.equal(all.filter(one => one.kind === 'amount').length, 100)
  t.strictSame(all.filter(one => one.kind === 'date').length, 1)
  t.end()
})

test('what lies beyond the bound of characters is not read', t => {
  const padding = ' '.repeat(MAX_CHARACTERS - 30)
  const sources: ExtractionSource[] = [
    { source: 'text', text: `${padding}R$ 1,00` },
    { source: 'attachment', text: `R$ 2,00${' '.repeat(30)}R$ 3,00` },
  ]
  t.strictSame(
    extract(sources, { messageDate: MESSAGE_DATE }).map(one => one.value),
    ['BRL 1.00', 'BRL 2.00'],
  )
  t.end()
})

test('texts that hold nothing give nothing', t => {
  t.strictSame(extract([], { messageDate: MESSAGE_DATE }), [])
  for (const text of ['', ' ', '\u0000', '\ud83d', 'R$', '<', '&', '&#x110000;', '000201', '&#0;']) {
    for (const source of ['text', 'html', 'attachment'] as const) {
      t.strictSame(
        extract([{ source, text }], { messageDate: new Date(MESSAGE_DATE) }),
        [],
        JSON.stringify(text),
      )
    }
  }
  t.end()
})
