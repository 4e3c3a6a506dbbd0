import { parseBankLine } from './boleto-bank-line.ts'
import { parseCollectionLine } from './boleto-collection-line.ts'
import type { BoletoDetails } from './boleto-details.ts'
import type { Finder } from './finding.ts'
import { isPartedAt, toDigitRuns, toPlace, toSymbols, windowsOf } from './symbol-runs.ts'

// Where lines are parted when printed: 34191.79001 01043.510047 91020.150008 8 84560000020000, with or without
// the dots, and 83640000001-1 33120138000-2 81288462711-6 08013618155-1.
const layouts = [
  // The fourth digit is the currency, 9 for the real.
  {
    length: 47,
    mark: { at: 3, digit: 9 },
    parts: new Set([5, 10, 15, 21, 26, 32, 33]),
    parse: parseBankLine,
  },
  // The first digit is the product, 8 for collections.
  {
    length: 48,
    mark: { at: 0, digit: 8 },
    parts: new Set([11, 12, 23, 24, 35, 36, 47]),
    parse: parseCollectionLine,
  },
]

/**
 * Boletos by the digits that are typed to pay them (linha digitável), every check digit proved. The value is
 * the 47 or 48 digits.
 */
export const findBoletos: Finder<BoletoDetails> = function* (readable, { messageDay }) {
  const runs = toDigitRuns(readable)
  for (const { length, mark, parts, parse } of layouts) {
    const code = 48 + mark.digit
    for (const window of windowsOf(runs, length, from => runs.symbols[from + mark.at] === code)) {
      if (!isPartedAt(runs, window, parts)) continue
      const value = toSymbols(runs, window.from, length)
      const details = parse(value, messageDay)
      if (details) yield { value, details, at: toPlace(runs, window) }
    }
  }
}
