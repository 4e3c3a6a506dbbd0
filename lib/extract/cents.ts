/** Digits whose last two are cents as a decimal, `1234.56`; null for zero, which stands for an open amount. */
export function toDecimal(digits: string): string | null {
  const trimmed = digits.replace(/^0+/, '')
  if (trimmed === '') return null
  const padded = trimmed.padStart(3, '0')
  return `${padded.slice(0, -2)}.${padded.slice(-2)}`
}
