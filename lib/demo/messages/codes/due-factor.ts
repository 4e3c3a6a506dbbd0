const DAY = 86_400_000
const FIRST_BASE = Date.UTC(1997, 9, 7)
const ROLLOVER = Date.UTC(2025, 1, 22)

/**
 * Due-date factor of a boleto: days since 7 October 1997 until the factor 9999 (21 February 2025), from
 * 1000 again on 22 February 2025. `due` is YYYY-MM-DD; null (payable on sight) is 0000.
 */
export function toDueFactor(due: string | null): string {
  if (due === null) return '0000'
  const day = Date.parse(`${due}T00:00:00Z`)
  const factor = day < ROLLOVER ? (day - FIRST_BASE) / DAY : 1000 + (day - ROLLOVER) / DAY
  if (!Number.isInteger(factor) || factor < 1000 || factor > 9999) {
    throw new RangeError(`No due-date factor for ${due}`)
  }
  return String(factor)
}
