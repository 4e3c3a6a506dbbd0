import { z } from 'zod'
import { notUnicode } from '../fields/not-unicode.ts'

/** Characters of a password, as Unicode counts them. */
export const passwordLength = { minimum: 12, maximum: 200 } as const

/**
 * A password that somebody chooses, normalized. Length is what makes it hard to guess: nothing is demanded of its
 * composition (NIST SP 800-63B, section 3.1.1.2), and what anybody would try first is refused.
 *
 * @param email whose password it becomes; it is not to be that
 */
export function passwordSchema(email: string) {
  const { minimum, maximum } = passwordLength
  return z
    .string()
    .refine(value => value.isWellFormed(), notUnicode)
    .transform(value => value.normalize('NFKC'))
    .refine(value => countCharacters(value) >= minimum, `must have at least ${minimum} characters`)
    .refine(value => countCharacters(value) <= maximum, `must have at most ${maximum} characters`)
    .refine(value => value.trim().toLowerCase() !== email.toLowerCase(), 'must not be the e-mail address')
    .refine(value => !isRepetition(value), 'must not repeat a few characters over and over')
    .refine(value => !isSequence(value), 'must not be a row of neighbouring characters')
}

function countCharacters(text: string): number {
  return [...text].length
}

/** `aaaaaaaaaaaa`, `abcabcabcabc`: up to four characters, and again. */
function isRepetition(text: string): boolean {
  return [1, 2, 3, 4].some(
    length => text === text.slice(0, length).repeat(maximumUnits).slice(0, text.length),
  )
}

/** `123456789012`, `abcdefghijkl`, `qwertyuiop[]`, and backwards. */
function isSequence(text: string): boolean {
  const lower = text.toLowerCase()
  const backwards = [...lower].reverse().join('')
  return rows.some(row => row.includes(lower) || row.includes(backwards))
}

/** Of two UTF-16 units at most for each character: more than any password has. */
const maximumUnits = 2 * passwordLength.maximum

const rows = [
  '0123456789'.repeat(20),
  '1234567890'.repeat(20),
  'abcdefghijklmnopqrstuvwxyz'.repeat(8),
  'qwertyuiop[]',
  'qwertyuiopasdfghjklzxcvbnm',
  '1234567890-=',
  '1q2w3e4r5t6y7u8i9o0p',
]
