import type { BoletoDetails } from './boleto-details.ts'
import { toDueDate } from './boleto-due-date.ts'
import { toDecimal } from './cents.ts'
import { toMod10 } from './mod10.ts'
import { toMod11Remainder } from './mod11.ts'

/**
 * Decodes the 47 digits of a bank's boleto (FEBRABAN), or null if one of its four check digits is wrong or its
 * currency is not the real.
 *
 * Line: bank 3, currency 1, free field 5, digit; free field 10, digit; free field 10, digit; general digit;
 * due-date factor 4, amount 10. Barcode: bank, currency, general digit, factor, amount, free field.
 */
export function parseBankLine(line: string, messageDay: string): BoletoDetails | null {
  if (line[3] !== '9' || line.startsWith('000')) return null
  if (!isField(line.slice(0, 10)) || !isField(line.slice(10, 21)) || !isField(line.slice(21, 32))) return null
  const tail = line.slice(33)
  const free = line.slice(4, 9) + line.slice(10, 20) + line.slice(21, 31)
  if (line[32] !== toGeneralDigit(line.slice(0, 4) + tail + free)) return null
  // Carta-Circular 2.926: what begins with 0 has no factor, and the amount takes all 14 digits.
  const hasFactor = tail[0] !== '0'
  return {
    type: 'bank',
    barcode: line.slice(0, 4) + line[32] + tail + free,
    amount: toDecimal(hasFactor ? tail.slice(4) : tail),
    currency: 'BRL',
    due_date: hasFactor ? toDueDate(Number(tail.slice(0, 4)), messageDay) : null,
    bank_code: line.slice(0, 3),
    segment: null,
    company: null,
  }
}

function isField(field: string): boolean {
  return field.endsWith(String(toMod10(field.slice(0, -1))))
}

// The barcode may not hold 0 there, so what would be 0, 10 or 11 is 1.
function toGeneralDigit(barcode: string): string {
  const digit = 11 - toMod11Remainder(barcode)
  return digit > 9 ? '1' : String(digit)
}
