import { test } from 'tap'
import { toCrc16 } from '../../../lib/extract/crc16.ts'
import { find, valuesOf } from './fixtures/find.ts'

// The examples of BACEN: Manual de Padrões para Iniciação do Pix (static, dynamic, composite), Manual do BR Code.
const STATIC =
  '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D'
const DYNAMIC =
  '00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4'
const COMPOSITE =
  '00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80740014br.gov.bcb.pix2552pix.example.com/rec/2353c790eefb11eaadc10242ac1200026304FB42'
const SEVERAL_SCHEMES =
  '00020104141234567890123426580014BR.GOV.BCB.PIX0136123e4567-e12b-12d1-a456-42665544000027300012BR.COM.OUTRO011001234567895204000053039865406123.455802BR5917NOME DO RECEBEDOR6008BRASILIA61087007490062190515RP12345678-201980390012BR.COM.OUTRO01190123.ABCD.3456.WXYZ6304AD38'

test('the checksum is CRC-16/CCITT-FALSE of the UTF-8 bytes', t => {
  t.equal(toCrc16('123456789'), '29B1', 'the check value of the algorithm')
  t.equal(toCrc16(''), 'FFFF')
  const text = 'Padaria São João'
  t.equal(toCrc16(text), divide(Buffer.from(text)))
  t.end()
})

test('a static code is decoded', t => {
  const [pix] = find('pix', `Copia e cola: ${STATIC}.`)
  t.equal(pix?.value, STATIC)
  t.strictSame(pix?.details, {
    type: 'static',
    key: '123e4567-e12b-12d1-a456-426655440000',
    key_type: 'random',
    url: null,
    recurrence_url: null,
    amount: null,
    currency: 'BRL',
    merchant_name: 'Fulano de Tal',
    merchant_city: 'BRASILIA',
    postal_code: null,
    txid: null,
    description: null,
    single_use: false,
  })
  t.end()
})

test('dynamic, composite and several-scheme codes are decoded', t => {
  const url = 'pix.example.com/8b3da2f39a4140d1a91abd93113bd441'
  t.match(find('pix', DYNAMIC), [
    { value: DYNAMIC, details: { type: 'dynamic', url, key: null, single_use: true } },
  ])
  t.match(find('pix', COMPOSITE), [
    {
      details: {
        type: 'dynamic',
        url,
        recurrence_url: 'pix.example.com/rec/2353c790eefb11eaadc10242ac120002',
      },
    },
  ])
  t.match(find('pix', SEVERAL_SCHEMES), [
    { details: { type: 'static', amount: '123.45', txid: 'RP12345678-2019', postal_code: '70074900' } },
  ])
  t.end()
})

test('a code is found when the mail broke its lines, whether or not a blank stood there', t => {
  const ways = [
    STATIC.replace(/(.{38})/g, '$1\n'),
    STATIC.replace(/(.{76})/g, '$1\r\n'),
    STATIC.replace(' de Tal', '\nde Tal'),
    STATIC.replace('Fulano de Tal', 'Fulano \nde\n Tal'),
    STATIC.replace(/(.{60})/g, '$1\n> '),
    STATIC.replace('br.gov', 'br.\u200bgov'),
    STATIC.replaceAll(' ', '\u00a0'),
    `chave:${STATIC}obrigado`,
  ]
  for (const way of ways) t.strictSame(valuesOf('pix', way), [STATIC], JSON.stringify(way))
  const html = `<td style="x">${STATIC.replace(/(.{50})/g, '$1<br>\n      ')}</td>`
  t.strictSame(valuesOf('pix', html, 'html'), [STATIC])
  t.end()
})

test('the place of a broken code holds all of it', t => {
  const broken = STATIC.replace(' de Tal', '\nde Tal').replace(/(.{100})/, '$1\n')
  const text = `antes ${broken} depois`
  const [pix] = find('pix', text)
  t.equal(text.slice(pix?.found.offset, (pix?.found.offset ?? 0) + (pix?.found.length ?? 0)), broken)
  t.end()
})

test('a code with one wrong character, at any position, is not reported', t => {
  const missed: string[] = []
  for (const code of [STATIC, DYNAMIC]) {
    for (let i = 0; i < code.length; i++) {
      for (const character of '0123456789aZ') {
        if (character === code[i]) continue
        const wrong = code.slice(0, i) + character + code.slice(i + 1)
        if (valuesOf('pix', wrong).length > 0) missed.push(wrong)
      }
    }
  }
  t.strictSame(missed, [])
  t.strictSame(valuesOf('pix', STATIC.slice(0, -1)), [])
  t.end()
})

test('every type of key is told apart', t => {
  const keys = [
    ['cpf', '52998224725'],
    ['cnpj', '33000167000101'],
    ['cnpj', '12ABC34501DE35'],
    ['phone', '+5511987654321'],
    ['email', 'financeiro@acme.com.br'],
    ['random', 'BEE05743-4291-4F3C-9259-595DF1307BA1'],
  ] as const
  for (const [key_type, key] of keys) {
    t.match(
      find('pix', toCode({ account: field('01', key) })),
      [{ details: { type: 'static', key, key_type } }],
      key,
    )
  }
  t.end()
})

test('a code whose checksum is right but which the manual does not allow is not reported', t => {
  const bad = {
    'key of no kind': toCode({ account: field('01', 'my key') }),
    'CPF with a wrong digit': toCode({ account: field('01', '52998224726') }),
    'empty key': toCode({ account: field('01', '') }),
    'key and address': toCode({ account: field('01', '52998224725') + field('25', 'pix.example.com/x') }),
    'neither key nor address': toCode({ account: '' }),
    'address without a host': toCode({ account: field('25', 'localhost/x') }),
    'another scheme': toCode({ gui: 'br.com.outro' }),
    'another currency': toCode({ currency: '840' }),
    'another country': toCode({ country: 'AR' }),
    'no name': toCode({ name: '' }),
    'three decimals': toCode({ amount: '1.234' }),
    'comma in the amount': toCode({ amount: '1,23' }),
    'amount of 14 characters': toCode({ amount: '99999999999.99' }),
    'a field twice': toCode({ extra: field('58', 'BR') }),
    'additional data that are no fields': toCode({ extra: field('62', '9') }),
  }
  for (const [name, code] of Object.entries(bad)) t.strictSame(valuesOf('pix', code), [], name)
  t.strictSame(valuesOf('pix', toCode({})).length, 1, 'the same without a fault')
  t.end()
})

test('amounts are decimals, and zero leaves it open', t => {
  const amounts = [
    ['10', '10.00'],
    ['10.5', '10.50'],
    ['0.01', '0.01'],
    ['9999999999.99', '9999999999.99'],
    ['0.00', null],
  ] as const
  for (const [written, amount] of amounts) {
    t.match(find('pix', toCode({ amount: written })), [{ details: { amount } }], written)
  }
  t.end()
})

test('names outside ASCII, descriptions and identifiers are kept', t => {
  const code = toCode({
    account: field('01', '52998224725') + field('02', 'Pedido 42'),
    name: 'Padaria São João',
    extra: field('62', field('05', 'NF000042')),
  })
  t.match(find('pix', code), [
    {
      value: code,
      details: { merchant_name: 'Padaria São João', description: 'Pedido 42', txid: 'NF000042' },
    },
  ])
  t.end()
})

interface Parts {
  gui?: string
  account?: string
  currency?: string
  country?: string
  name?: string
  amount?: string
  extra?: string
}

function toCode(parts: Parts): string {
  const { gui = 'br.gov.bcb.pix', account = field('01', '52998224725'), amount } = parts
  const code = [
    field('00', '01'),
    field('26', field('00', gui) + account),
    field('52', '0000'),
    field('53', parts.currency ?? '986'),
    amount === undefined ? '' : field('54', amount),
    field('58', parts.country ?? 'BR'),
    field('59', parts.name ?? 'ACME LTDA'),
    field('60', 'SAO PAULO'),
    parts.extra ?? '',
    '6304',
  ].join('')
  return code + divide(Buffer.from(code))
}

function field(id: string, value: string): string {
  return id + String(value.length).padStart(2, '0') + value
}

// The checksum as what it is: the remainder of a division of polynomials, here of whole numbers without carry.
function divide(bytes: Buffer): string {
  const width = BigInt(bytes.length * 8)
  let rest = (BigInt(`0x0${bytes.toString('hex')}`) << 16n) ^ (0xffffn << width)
  for (let bit = width - 1n; bit >= 0n; bit--) {
    if ((rest >> (bit + 16n)) & 1n) rest ^= 0x11021n << bit
  }
  return rest.toString(16).toUpperCase().padStart(4, '0')
}
