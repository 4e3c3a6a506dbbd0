import { toCrc16 } from './crc16.ts'

export interface PixCharge {
  /** A key (e-mail, phone, CNPJ, CPF, random) makes a static code, a URL without scheme a dynamic one. */
  target: { key: string } | { url: string }
  /** In cents; null leaves it to the payer. */
  amount: number | null
  /** At most 25 characters, ASCII. */
  name: string
  /** At most 15 characters, ASCII. */
  city: string
  /** Letters and digits, at most 25; `***` when there is none. */
  txid: string
}

/** PIX copy-and-paste code: EMV tag-length-value as the Banco Central's BR Code manual lays it out. */
export function toPixCode(charge: PixCharge): string {
  const isDynamic = 'url' in charge.target
  const account = isDynamic ? field('25', targetValue(charge)) : field('01', targetValue(charge))
  const body = [
    field('00', '01'),
    isDynamic ? field('01', '12') : '',
    field('26', field('00', 'br.gov.bcb.pix') + account),
    field('52', '0000'),
    field('53', '986'),
    charge.amount === null ? '' : field('54', (charge.amount / 100).toFixed(2)),
    field('58', 'BR'),
    field('59', charge.name),
    field('60', charge.city),
    field('62', field('05', charge.txid)),
    '6304',
  ].join('')
  return body + toCrc16(body)
}

function targetValue({ target }: PixCharge): string {
  return 'url' in target ? target.url : target.key
}

function field(tag: string, value: string): string {
  if (value.length > 99 || !/^[\x20-\x7e]*$/.test(value)) throw new RangeError(`Not a PIX field: ${value}`)
  return tag + String(value.length).padStart(2, '0') + value
}
