import type { BoletoDetails } from './boleto-details.ts'
import { toCalendarDay, toDayNumber } from './calendar-day.ts'
import { toDecimal } from './cents.ts'
import { toMod10 } from './mod10.ts'
import { toMod11Remainder } from './mod11.ts'

const segments = new Map<string, BoletoDetails['segment']>([
  ['1', 'city_hall'],
  ['2', 'sanitation'],
  ['3', 'energy_gas'],
  ['4', 'telecommunications'],
  ['5', 'government'],
  ['6', 'company'],
  ['7', 'traffic_fine'],
  ['9', 'bank_exclusive'],
])

/**
 * Decodes the 48 digits of a collection line ("Layout padrão de arrecadação/recebimento", FEBRABAN), or null if
 * one of its five check digits is wrong.
 *
 * Four blocks of 11 digits and a digit each; without those, the barcode: 8, segment, kind of value, general
 * digit, value 11, company 4 (8 in segment 6), free field.
 */
export function parseCollectionLine(line: string, messageDay: string): BoletoDetails | null {
  const segment = segments.get(line[1] ?? '')
  const toDigit = digitOf(line[2] ?? '')
  if (line[0] !== '8' || segment === undefined || toDigit === null) return null
  const blocks = [line.slice(0, 12), line.slice(12, 24), line.slice(24, 36), line.slice(36, 48)]
  if (!blocks.every(block => block.endsWith(toDigit(block.slice(0, 11))))) return null
  const barcode = blocks.map(block => block.slice(0, 11)).join('')
  if (barcode[3] !== toDigit(barcode.slice(0, 3) + barcode.slice(4))) return null
  const companyEnd = segment === 'company' ? 23 : 19
  return {
    type: 'collection',
    barcode,
    amount: isMoney(line[2]) ? toDecimal(barcode.slice(4, 15)) : null,
    currency: 'BRL',
    due_date: toFreeFieldDate(barcode.slice(companyEnd), messageDay),
    bank_code: null,
    segment,
    company: barcode.slice(15, companyEnd),
  }
}

// Section on the identification of the value: 6 and 7 are proved by modulus 10, 8 and 9 by modulus 11.
function digitOf(valueKind: string): ((digits: string) => string) | null {
  if (valueKind === '6' || valueKind === '7') return digits => String(toMod10(digits))
  return valueKind === '8' || valueKind === '9' ? toMod11 : null
}

function toMod11(digits: string): string {
  const remainder = toMod11Remainder(digits)
  return remainder < 2 ? '0' : String(11 - remainder)
}

// 7 and 9 carry a quantity of some other unit.
function isMoney(valueKind: string | undefined): boolean {
  return valueKind === '6' || valueKind === '8'
}

// "If there is a due date, it takes the first positions of the free field, as YYYYMMDD." Nothing marks its
// presence, so digits count as a date only if they are one within two years of the message.
function toFreeFieldDate(free: string, messageDay: string): string | null {
  const day = toCalendarDay(Number(free.slice(0, 4)), Number(free.slice(4, 6)), Number(free.slice(6, 8)))
  if (day === null) return null
  return Math.abs(toDayNumber(day) - toDayNumber(messageDay)) <= 731 ? day : null
}
