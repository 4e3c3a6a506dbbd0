import { z } from 'zod'
import type { Finder } from './finding.ts'

const currencies = [
  'BRL',
  'USD',
  'EUR',
  'GBP',
  'CHF',
  'CAD',
  'AUD',
  'ARS',
  'UYU',
  'COP',
  'MXN',
  'PEN',
  'CNY',
] as const
type Currency = (typeof currencies)[number]

export const amountDetails = z.object({
  amount: z.string().meta({ description: 'A decimal with two places, 1234.56, negative with a minus' }),
  currency: z.enum(currencies).meta({ description: 'ISO 4217' }),
})

export type AmountDetails = z.infer<typeof amountDetails>

const signs = new Map<string, Currency>([
  ['R$', 'BRL'],
  ['US$', 'USD'],
  ['U$S', 'USD'],
  ['€', 'EUR'],
  ['£', 'GBP'],
  ...currencies.map(code => [code, code] as const),
])
// Where 1,234 is a thousand and more; elsewhere 1.234 is.
const withCommas = new Set<Currency>(['USD', 'GBP', 'CAD', 'AUD', 'MXN', 'CNY'])

const CODE = `(?:${currencies.join('|')})(?!\\p{L})`
const NUMBER = '\\d[\\d.,]{0,24}'
// One expression for both orders, so that in "10 USD 20 BRL" every number has one currency.
const AMOUNT = new RegExp(
  [
    `(?<![\\p{L}\\d]|\\d-)(-?)(R\\$|US\\$|U\\$S|€|£|${CODE})[ \\n]?(-?)(${NUMBER})`,
    `(?<![\\p{L}\\d.,$])(-?)(${NUMBER})[ \\n]?(${CODE})`,
  ].join('|'),
  'gu',
)
// "R$ 2 milhões" is not two reais, and "R$ 5%" no amount.
const SCALED = /^ ?(?:%|milh|bilh|trilh|thousand|million|billion|(?:mil|mi|bi|tri|k|m|mm)(?!\p{L}))/iu

/**
 * Amounts with their currency: `R$ 1.234,56`, `BRL 1234.56`, `1,234.56 USD`. What could be read in two ways
 * (`R$ 1,234`) is left out. The value is currency and decimal: `BRL 1234.56`.
 */
export const findAmounts: Finder<AmountDetails> = function* ({ text }) {
  for (const match of text.matchAll(AMOUNT)) {
    const [whole, minus, before, innerMinus, number, otherMinus, otherNumber, after] = match
    const digits = number ?? otherNumber ?? ''
    const extra = before === undefined ? 0 : trailing(digits)
    const at = { start: match.index, end: match.index + whole.length - extra }
    const rest = text.slice(match.index + whole.length, match.index + whole.length + 12)
    if (before !== undefined && extra === 0 && (SCALED.test(rest) || /^\d/.test(rest))) continue
    const currency = signs.get(before ?? after ?? '')
    const decimal = currency && parseDecimal(digits.slice(0, digits.length - extra), withCommas.has(currency))
    if (!currency || !decimal) continue
    const isNegative = `${minus}${innerMinus}${otherMinus}`.includes('-') && /[1-9]/.test(decimal)
    const amount = isNegative ? `-${decimal}` : decimal
    yield { value: `${currency} ${amount}`, details: { amount, currency }, at }
  }
}

/** The dot or comma of the sentence, not of the number. */
function trailing(digits: string): number {
  return /[.,]*$/.exec(digits)?.[0].length ?? 0
}

function parseDecimal(text: string, hasCommas: boolean): string | null {
  const [, whole, cents] =
    /^(\d{1,15})(?:[.,](\d{1,2}))?$/.exec(text) ??
    /^(\d{1,3}(?:\.\d{3}){1,4})(?:,(\d{1,2}))?$/.exec(text) ??
    /^(\d{1,3}(?:,\d{3}){1,4})(?:\.(\d{1,2}))?$/.exec(text) ??
    []
  if (whole === undefined) return null
  // One separator before three digits: a thousand only as the currency's own country writes it.
  const isSingleGroup = cents === undefined && /^\d+[.,]\d{3}$/.test(whole)
  if (isSingleGroup && whole.includes(hasCommas ? '.' : ',')) return null
  const integer = whole.replace(/[.,]/g, '').replace(/^0+(?=\d)/, '')
  return `${integer}.${(cents ?? '').padEnd(2, '0')}`
}
