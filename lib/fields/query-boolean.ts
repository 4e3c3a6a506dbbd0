import { z } from 'zod'

/** `true` or `false` in a query string, and nothing else. Its JSON Schema is that of a boolean. */
export const queryBoolean = z.preprocess(toBoolean, z.boolean('must be true or false'))

function toBoolean(value: unknown): unknown {
  if (value === 'true') return true
  return value === 'false' ? false : value
}
