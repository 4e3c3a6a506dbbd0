import { z } from 'zod'

/**
 * A whole number in a query string. Only decimal digits are read as a number: the coercions of JavaScript
 * would take an empty value for 0, and `0x10` or `1e1` for numbers. Its JSON Schema is that of an integer.
 */
export function queryInteger({ minimum, maximum }: { minimum: number; maximum: number }) {
  const message = `must be a whole number from ${minimum} to ${maximum}`
  return z.preprocess(toInteger, z.int(message).min(minimum, message).max(maximum, message))
}

function toInteger(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
}
