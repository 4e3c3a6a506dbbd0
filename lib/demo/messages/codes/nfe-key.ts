import { toMod11 } from './mod11.ts'

export interface NfeIdentity {
  /** IBGE code of the state, two digits. */
  state: string
  /** Month of issue, YYYY-MM. */
  month: string
  /** 14 digits. */
  cnpj: string
  /** Series and number of the invoice. */
  series: number
  number: number
  /** Eight digits that the issuer draws. */
  nonce: string
}

/** The 44 digits of an NF-e access key (model 55, normal emission); the last is modulus 11. */
export function toNfeKey(invoice: NfeIdentity): string {
  const body = [
    invoice.state,
    invoice.month.slice(2, 4) + invoice.month.slice(5, 7),
    invoice.cnpj,
    '55',
    String(invoice.series).padStart(3, '0'),
    String(invoice.number).padStart(9, '0'),
    '1',
    invoice.nonce,
  ].join('')
  if (!/^\d{43}$/.test(body)) throw new RangeError(`Not the parts of an access key: ${body}`)
  return body + toMod11(body)
}

/** Written as on a DANFE: eleven groups of four. */
export function formatNfeKey(key: string): string {
  return key.replace(/(\d{4})(?=\d)/g, '$1 ')
}
