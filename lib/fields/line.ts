import { z } from 'zod'
import { notUnicode } from './not-unicode.ts'

/**
 * One line of text that a person or an agent writes, 1 to `maximum` characters. Blanks around it are
 * dropped. Control characters are refused: PostgreSQL cannot hold NUL, and the others reach logs and
 * terminals. So is text that is no Unicode: half of a surrogate pair cannot be stored either.
 */
export function line(maximum: number) {
  return z
    .string()
    .trim()
    .min(1)
    .max(maximum)
    .refine(value => !CONTROL.test(value), 'must not contain line breaks or control characters')
    .refine(value => value.isWellFormed(), notUnicode)
}

const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u
