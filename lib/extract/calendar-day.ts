const DAY = 86_400_000

/** The day as YYYY-MM-DD, or null when the calendar has no such day or its year is not 1900–2199. */
export function toCalendarDay(year: number, month: number, day: number): string | null {
  if (year < 1900 || year > 2199 || month < 1 || month > 12 || day < 1) return null
  if (day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return null
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
}

/** Days since 1970-01-01 of a day written YYYY-MM-DD. */
export function toDayNumber(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / DAY
}

/** The day, YYYY-MM-DD, that is `days` after 1970-01-01. */
export function fromDayNumber(days: number): string {
  return new Date(days * DAY).toISOString().slice(0, 10)
}
