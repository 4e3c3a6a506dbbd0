import { test } from 'tap'
import { formatBoletoLine, toBoletoLine } from '../../../lib/demo/messages/codes/boleto-line.ts'
import { toCnpj } from '../../../lib/demo/messages/codes/cnpj.ts'
import { formatCollectionLine, toCollectionLine } from '../../../lib/demo/messages/codes/collection-line.ts'
import { toCpf } from '../../../lib/demo/messages/codes/cpf.ts'
import { toCrc16 } from '../../../lib/demo/messages/codes/crc16.ts'
import { toDueFactor } from '../../../lib/demo/messages/codes/due-factor.ts'
import { formatNfeKey, toNfeKey } from '../../../lib/demo/messages/codes/nfe-key.ts'
import { toPixCode } from '../../../lib/demo/messages/codes/pix-code.ts'
import { createDemoMessages } from '../../../lib/demo/messages/index.ts'
import {
  parsePix,
  provesBoleto,
  provesCnpj,
  provesCollection,
  provesCpf,
  provesNfeKey,
  toDueDay,
} from './fixtures/proofs.ts'

test('a boleto line is the one that the bank manuals print for the same terms', async t => {
  // Itaú, cobrança manual: R$ 123,45 due on 1 May 2002.
  const itau = { bank: '341', freeField: '1101234567880057123457000', amount: 12_345, due: '2002-05-01' }
  t.equal(formatBoletoLine(toBoletoLine(itau)), '34191.10121 34567.880058 71234.570001 6 16670000012345')
  // Banco do Brasil: R$ 1,00 due on 31 December 2007.
  const brasil = { bank: '001', freeField: '0500940144816060680935031', amount: 100, due: '2007-12-31' }
  t.equal(formatBoletoLine(toBoletoLine(brasil)), '00190.50095 40144.816069 06809.350314 3 37370000000100')
})

test('the due-date factor runs to 9999 on 21 February 2025 and starts again at 1000', async t => {
  t.equal(toDueFactor('2000-07-03'), '1000')
  t.equal(toDueFactor('2025-02-21'), '9999')
  t.equal(toDueFactor('2025-02-22'), '1000')
  t.equal(toDueFactor('2026-11-29'), '1645')
  t.equal(toDueFactor(null), '0000')
  t.throws(() => toDueFactor('1999-01-01'), RangeError)
})

test('a collection line is that of an energy bill passed around as a specimen', async t => {
  const line = toCollectionLine({
    segment: 3,
    valueKind: 6,
    amount: 13_312,
    company: '0138',
    freeField: '0008128846271108013618155',
  })
  t.equal(formatCollectionLine(line), '83640000001-1 33120138000-2 81288462711-6 08013618155-1')
})

test('the checksum and the PIX code are those of the Banco Central manual', async t => {
  t.equal(toCrc16('123456789'), '29B1')
  const code = toPixCode({
    target: { key: '123e4567-e12b-12d1-a456-426655440000' },
    amount: null,
    name: 'Fulano de Tal',
    city: 'BRASILIA',
    txid: '***',
  })
  t.equal(
    code,
    '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D',
  )
  t.ok(parsePix(code))
  t.notOk(parsePix(code.replace('Fulano', 'Fulana')), 'the check refuses a changed one')
})

test('an NF-e key is the one printed in guides to the layout', async t => {
  const key = toNfeKey({
    state: '43',
    month: '2017-12',
    cnpj: '07364617000135',
    series: 0,
    number: 12_014,
    nonce: '00012014',
  })
  t.equal(key, '43171207364617000135550000000120141000120146')
  t.ok(provesNfeKey('35080599999090910270550010000000015180051273'), 'the check accepts an older one')
  t.equal(formatNfeKey(key).split(' ').length, 11)
})

test('CNPJ and CPF get the digits of the published examples', async t => {
  t.equal(toCnpj('12ABC34501DE'), '12ABC34501DE35', 'alphanumeric, Receita Federal')
  t.equal(toCnpj('000000000001'), '00000000000191', 'Banco do Brasil')
  t.equal(toCnpj('112223330001'), '11222333000181')
  t.equal(toCpf('111444777'), '11144477735')
  t.equal(toCpf('529982247'), '52998224725')
})

test('every code of the demo proves itself by an independent computation', async t => {
  const messages = await createDemoMessages()
  const codes = messages.map(message => message.codes)
  const boletos = codes.flatMap(code => code.boletos)
  t.ok(boletos.filter(line => line.length === 47).length >= 90)
  t.ok(boletos.filter(line => line.length === 48).length >= 20)
  t.same(
    boletos.filter(line => !(line.length === 47 ? provesBoleto(line) : provesCollection(line))),
    [],
  )
  t.equal(new Set(boletos).size, boletos.length, 'no line twice')
  const pix = codes.flatMap(code => code.pix)
  t.ok(pix.length >= 30)
  t.same(
    pix.filter(code => !parsePix(code)),
    [],
  )
  t.ok(
    pix.some(code => parsePix(code)?.get('01') === '12'),
    'dynamic ones too',
  )
  const keys = codes.flatMap(code => code.nfeKeys)
  t.ok(keys.length >= 30)
  t.same(
    keys.filter(key => !provesNfeKey(key)),
    [],
  )
  const cnpjs = codes.flatMap(code => code.cnpjs)
  t.same(
    cnpjs.filter(cnpj => !provesCnpj(cnpj)),
    [],
  )
  t.ok(
    cnpjs.some(cnpj => /[A-Z]/.test(cnpj)),
    'alphanumeric ones too',
  )
  t.same(
    codes.flatMap(code => code.cpfs).filter(cpf => !provesCpf(cpf)),
    [],
  )
})

test('the due dates of the boletos are those that their subjects name', async t => {
  const messages = await createDemoMessages()
  const bills = messages.filter(message => message.key.endsWith('-boleto'))
  t.ok(bills.length >= 70)
  const wrong = bills.filter(
    ({ raw, codes }) => toDueDay(codes.boletos[0]?.slice(33, 37) ?? '') !== toNamedDay(raw),
  )
  t.same(
    wrong.map(message => message.key),
    [],
  )
})

/** The day at the end of the subject, as YYYY-MM-DD. */
function toNamedDay(raw: Buffer): string {
  const subject = /^Subject: (.*(?:\r\n .*)*)/m.exec(raw.toString('latin1'))?.[1] ?? ''
  const day = /(\d\d)(?:\/|=2F)(\d\d)(?:\/|=2F)(\d{4})/i.exec(subject.replace(/\?=\r\n =\?UTF-8\?Q\?/gi, ''))
  return day ? `${day[3]}-${day[2]}-${day[1]}` : subject
}
