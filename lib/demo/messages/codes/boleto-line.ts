import { toDueFactor } from './due-factor.ts'
import { toMod10 } from './mod10.ts'
import { toMod11Remainder } from './mod11.ts'

export interface BoletoTerms {
  /** Three digits: the bank's clearing code. */
  bank: string
  /** 25 digits that the bank lays out as it likes. */
  freeField: string
  /** In cents; 0 leaves the amount open. */
  amount: number
  /** YYYY-MM-DD, or null for payable on sight. */
  due: string | null
}

/**
 * The 47 digits of a bank boleto: three fields of the barcode with a modulus 10 digit each, the barcode's
 * modulus 11 digit, due-date factor and amount.
 */
export function toBoletoLine(terms: BoletoTerms): string {
  const head = `${terms.bank}9`
  const free = terms.freeField
  const tail = toDueFactor(terms.due) + String(terms.amount).padStart(10, '0')
  if (!/^\d{4}$/.test(head) || !/^\d{25}$/.test(free) || !/^\d{14}$/.test(tail)) {
    throw new RangeError(`Not the parts of a boleto: ${head} ${free} ${tail}`)
  }
  const fields = [head + free.slice(0, 5), free.slice(5, 15), free.slice(15)]
  return fields.map(field => field + toMod10(field)).join('') + toGeneralDigit(head + tail + free) + tail
}

/** Written as on paper: 34191.10121 34567.880058 71234.570001 6 16670000012345. */
export function formatBoletoLine(line: string): string {
  return line.replace(/^(\d{5})(\d{5})(\d{5})(\d{6})(\d{5})(\d{6})(\d)(\d{14})$/, '$1.$2 $3.$4 $5.$6 $7 $8')
}

// FEBRABAN: what would be 0, 10 or 11 is 1, because a barcode may not have 0 there.
function toGeneralDigit(barcodeWithoutDigit: string): number {
  const digit = 11 - toMod11Remainder(barcodeWithoutDigit)
  return digit > 9 ? 1 : digit
}
