/** Cents as Brazilian text: 123456 is `R$ 1.234,56`. */
export function formatReais(cents: number): string {
  const [whole = '0', fraction = '00'] = (cents / 100).toFixed(2).split('.')
  return `R$ ${whole.replace(/\B(?=(\d{3})+$)/g, '.')},${fraction}`
}

/** YYYY-MM-DD as dd/mm/yyyy. */
export function formatDay(day: string): string {
  return day.split('-').reverse().join('/')
}

/** The day that lies so many days after the instant, as seen in São Paulo (UTC-3, no daylight saving). */
export function toDay(instant: Date, daysLater = 0): string {
  return new Date(instant.getTime() + daysLater * 86_400_000 - 3 * 3_600_000).toISOString().slice(0, 10)
}
