import { z } from 'zod'

/**
 * Free text that a person or an agent writes, up to `maximum` characters: line breaks and tabs are welcome,
 * other control characters are refused (PostgreSQL cannot hold NUL).
 */
export function paragraph(maximum: number) {
  return z
    .string()
    .max(maximum)
    .refine(value => !CONTROL.test(value), 'must not contain control characters')
}

const CONTROL = /(?![\t\n\r])\p{Cc}/u
