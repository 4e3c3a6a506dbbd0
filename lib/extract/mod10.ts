/**
 * The modulus 10 check digit of `digits` (FEBRABAN): weights 2, 1, 2, 1… from the right, the digits of each
 * product added up, and the difference to the next multiple of ten.
 */
export function toMod10(digits: string): number {
  let sum = 0
  let weight = 2
  for (let i = digits.length - 1; i >= 0; i--) {
    const product = (digits.charCodeAt(i) - 48) * weight
    sum += product > 9 ? product - 9 : product
    weight = 3 - weight
  }
  return (10 - (sum % 10)) % 10
}
