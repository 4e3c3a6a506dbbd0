import { z } from 'zod'
import { notUnicode } from './not-unicode.ts'

/**
 * Free text that a person or an agent writes, up to `maximum` characters: line breaks and tabs are welcome,
 * other control characters and halves of surrogate pairs are refused (PostgreSQL cannot hold NUL, nor those).
 */
export function paragraph(maximum: number) {
  return z
    .string()
    .max(maximum)
    .refine(value => !CONTROL.test(value), 'must not contain control characters')
    .refine(value => value.isWellFormed(), notUnicode)
}

const CONTROL = /(?![\t\n\r])\p{Cc}/u
