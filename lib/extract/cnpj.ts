import { z } from 'zod'
import { formatCnpj, isCnpj } from './cnpj-digits.ts'
import type { Finder } from './finding.ts'
import type { Stretch } from './offset-map.ts'

export const cnpjDetails = z.object({
  formatted: z.string().meta({ description: 'As it is printed: 12.ABC.345/01DE-35' }),
  root: z.string().meta({ description: 'The first eight characters, which name the company' }),
  branch: z.string().meta({ description: 'The next four, which name the establishment' }),
  alphanumeric: z.boolean().meta({ description: 'Whether it has letters, as those issued from 2026 on may' }),
})

export type CnpjDetails = z.infer<typeof cnpjDetails>

const C = '[0-9A-Za-z]'
// A blank or a line break may stand at the slash and at the hyphen.
const FORMATTED = new RegExp(
  [
    `(?<!${C}|\\d[.,/-])(${C}{2})[. ]?(${C}{3})[. ]?(${C}{3})`,
    `[ \\n]?/[ \\n]?(${C}{4})[ \\n]?-[ \\n]?(\\d{2})(?!${C}|[.,/-]\\d)`,
  ].join(''),
  'g',
)
const BARE = /(?<![\p{L}\d]|\d[.,/-])[0-9A-Z]{12}\d{2}(?![\p{L}\d]|[.,/-]\d)/gu
const NAMED = /cnpj/i
const BEFORE = 60

/**
 * CNPJs whose check digits are right, numeric or alphanumeric, printed with slash and hyphen or as 14
 * characters on their own. The value is the 14 characters, letters as capitals.
 */
export const findCnpjs: Finder<CnpjDetails> = function* ({ text }, { isTaken }) {
  for (const match of text.matchAll(FORMATTED)) {
    const value = match.slice(1).join('').toUpperCase()
    // With letters, blanks could make a CNPJ out of words.
    if (!isCnpj(value) || (/\s/.test(match[0]) && /[A-Z]/.test(value))) continue
    const at = { start: match.index, end: match.index + match[0].length }
    if (!isTaken(at)) yield { value, details: toDetails(value), at }
  }
  for (const match of text.matchAll(BARE)) {
    const value = match[0]
    const at = { start: match.index, end: match.index + value.length }
    if (!isCnpj(value) || isTaken(at)) continue
    if (isAlone(text, at) || isNamed(text, at)) yield { value, details: toDetails(value), at }
  }
}

function toDetails(value: string): CnpjDetails {
  return {
    formatted: formatCnpj(value),
    root: value.slice(0, 8),
    branch: value.slice(8, 12),
    alphanumeric: /[A-Z]/.test(value),
  }
}

// The last field of a boleto line has 14 digits too: one group among others needs its name before it.
function isAlone(text: string, { start, end }: Stretch): boolean {
  return (
    !/\d[ .-]$/.test(text.slice(Math.max(0, start - 2), start)) && !/^[ .-]\d/.test(text.slice(end, end + 2))
  )
}

function isNamed(text: string, { start }: Stretch): boolean {
  return NAMED.test(text.slice(Math.max(0, start - BEFORE), start))
}
