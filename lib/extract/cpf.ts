import { z } from 'zod'
import { isCpf } from './cpf-digits.ts'
import type { Finder } from './finding.ts'

export const cpfDetails = z.object({
  formatted: z.string().meta({ description: 'As it is printed: 529.982.247-25' }),
})

export type CpfDetails = z.infer<typeof cpfDetails>

const CPF =
  /(?<![\p{L}\d]|\d[.,/-])(\d{3})[. ]?(\d{3})[. ]?(\d{3})(?: ?- ?|[ \n])?(\d{2})(?![\p{L}\d]|[.,/-]\d)/gu
const NAMED = /cpf/i
const BEFORE = 60

/**
 * CPFs whose check digits are right. Eleven digits alone are a telephone number as often as a CPF, and one in
 * a hundred of those passes the check: without the hyphen, the word CPF must stand within 60 characters before.
 * The value is the 11 digits.
 */
export const findCpfs: Finder<CpfDetails> = function* ({ text }, { isTaken }) {
  for (const match of text.matchAll(CPF)) {
    const at = { start: match.index, end: match.index + match[0].length }
    const value = match.slice(1).join('')
    if (!isCpf(value) || isTaken(at)) continue
    if (!match[0].includes('-') && !NAMED.test(text.slice(Math.max(0, at.start - BEFORE), at.start))) continue
    yield { value, details: { formatted: `${match[1]}.${match[2]}.${match[3]}-${match[4]}` }, at }
  }
}
