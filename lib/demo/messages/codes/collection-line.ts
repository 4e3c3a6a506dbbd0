import { toMod10 } from './mod10.ts'
import { toMod11 } from './mod11.ts'

export interface CollectionTerms {
  /** 1 city, 2 water, 3 energy and gas, 4 telephone, 5 government, 7 traffic fine. */
  segment: number
  /** 6: modulus 10 throughout; 8: modulus 11 throughout. Both carry the amount in reais. */
  valueKind: 6 | 8
  /** In cents. */
  amount: number
  /** Four digits: who collects, as FEBRABAN numbers them. */
  company: string
  /** 25 digits; collectors usually begin them with the due date, YYYYMMDD. */
  freeField: string
}

/** The 48 digits of a utility or tax bill: four blocks of eleven, each with its check digit. */
export function toCollectionLine(terms: CollectionTerms): string {
  const head = `8${terms.segment}${terms.valueKind}`
  const tail = String(terms.amount).padStart(11, '0') + terms.company + terms.freeField
  if (!/^\d{40}$/.test(tail)) throw new RangeError(`Not the parts of a collection line: ${tail}`)
  const toDigit = terms.valueKind === 6 ? toMod10 : toMod11
  const barcode = head + toDigit(head + tail) + tail
  const blocks = [0, 11, 22, 33].map(start => barcode.slice(start, start + 11))
  return blocks.map(block => block + toDigit(block)).join('')
}

/** Written as on paper: 83640000001-1 33120138000-2 81288462711-6 08013618155-1. */
export function formatCollectionLine(line: string): string {
  return line.replace(/(\d{11})(\d)/g, '$1-$2 ').trimEnd()
}
