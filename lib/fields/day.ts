import { z } from 'zod'

/** A day in a request: YYYY-MM-DD, one that the calendar has. */
export const dayInput = z
  .string()
  .refine(isDay, 'must be a day as YYYY-MM-DD, for example 2026-03-10')
  .meta({ format: 'date' })

function isDay(value: string): boolean {
  if (!/^[1-9]\d{3}-\d{2}-\d{2}$/.test(value)) return false
  const time = Date.parse(`${value}T00:00:00Z`)
  // `Date.parse` rolls 30 February over to March; the day it gives back tells.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value)
}
