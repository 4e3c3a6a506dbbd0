import type { SeededRandom } from './seeded-random.ts'

/** The months that the demo covers; all its dates are fixed. */
export const months = ['2026-08', '2026-09', '2026-10', '2026-11'] as const

/**
 * A moment on that day of the month, during office hours in São Paulo (UTC-3). Weekends move to Monday,
 * because nobody bills on a Sunday.
 */
export function toMoment(month: string, day: number, random: SeededRandom): Date {
  const midnight = Date.parse(`${month}-${String(day).padStart(2, '0')}T03:00:00Z`)
  const weekday = new Date(midnight).getUTCDay()
  const shift = weekday === 6 ? 2 : weekday === 0 ? 1 : 0
  const second = random.integer(7 * 3600, 18 * 3600)
  return new Date(midnight + shift * 86_400_000 + second * 1000)
}

/** Any day from the third to the 27th of any of the months. */
export function toAnyMoment(random: SeededRandom): Date {
  return toMoment(random.pick(months), random.integer(3, 26), random)
}
