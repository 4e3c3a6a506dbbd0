/**
 * Check digit by modulus 10: weights 2, 1, 2, 1… from the right, the digits of each product added up.
 * Used by the fields of a boleto line (FEBRABAN, "Layout padrão de boleto") and, in collection lines,
 * by value identifiers 6 and 7.
 */
export function toMod10(digits: string): number {
  let total = 0
  for (let offset = 0; offset < digits.length; offset += 1) {
    const product = Number(digits[digits.length - 1 - offset]) * (offset % 2 === 0 ? 2 : 1)
    total += product > 9 ? product - 9 : product
  }
  return (10 - (total % 10)) % 10
}
