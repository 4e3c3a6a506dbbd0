import { z } from 'zod'
import { toCalendarDay } from './calendar-day.ts'
import type { Finder, Finding } from './finding.ts'

export const dateDetails = z.object({
  written: z.enum(['numeric', 'iso', 'long']).meta({
    description: 'numeric: 03/11/2026; iso: 2026-11-03; long: 3 de novembro de 2026',
  }),
})

export type DateDetails = z.infer<typeof dateDetails>

const months =
  'janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro'.split(' ')

const NUMERIC = /(?<![\p{L}\d]|\d[./-])(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?!\d|[/.-]\d)/gu
const ISO = /(?<![\p{L}\d]|\d[./-])(\d{4})-(\d{2})-(\d{2})(?!\d|-\d)/gu
const LONG = new RegExp(
  [
    `(?<![\\p{L}\\d]|\\d[.,/-])(\\d{1,2})[º°o]?[ \\n]de[ \\n](${months.join('|')}|marco)`,
    '(?:[ \\n]de|,)?[ \\n](\\d{4})(?!\\d)',
  ].join(''),
  'giu',
)

/**
 * Dates that the calendar has, of the years 1900 to 2199, day before month as Brazil writes them. The value is
 * YYYY-MM-DD.
 */
export const findDates: Finder<DateDetails> = function* ({ text }) {
  for (const match of text.matchAll(NUMERIC)) {
    yield* toFindings(match, 'numeric', [match[4], match[3], match[1]])
  }
  for (const match of text.matchAll(ISO)) yield* toFindings(match, 'iso', [match[1], match[2], match[3]])
  for (const match of text.matchAll(LONG)) {
    const name = (match[2] ?? '').toLowerCase().replace('marco', 'março')
    yield* toFindings(match, 'long', [match[3], months.indexOf(name) + 1, match[1]])
  }
}

type Part = string | number | undefined

function* toFindings(
  match: RegExpExecArray,
  written: DateDetails['written'],
  [year, month, day]: [Part, Part, Part],
): Generator<Finding<DateDetails>> {
  const value = toCalendarDay(Number(year), Number(month), Number(day))
  const at = { start: match.index, end: match.index + match[0].length }
  if (value) yield { value, details: { written }, at }
}
