/**
 * Remainder by 11 of the weighted sum: weights 2, 3… `maxWeight`, 2… from the right. A character is worth
 * its ASCII code less 48, so that digits keep their value and the letters of an alphanumeric CNPJ have
 * the one that the Receita Federal gives them (A = 17).
 */
export function toMod11Remainder(text: string, maxWeight = 9): number {
  let total = 0
  let weight = 2
  for (let index = text.length - 1; index >= 0; index -= 1) {
    total += (text.charCodeAt(index) - 48) * weight
    weight = weight === maxWeight ? 2 : weight + 1
  }
  return total % 11
}

/** The usual reading of the remainder: 0 and 1 give the digit 0, anything else 11 less the remainder. */
export function toMod11(text: string, maxWeight = 9): number {
  const remainder = toMod11Remainder(text, maxWeight)
  return remainder < 2 ? 0 : 11 - remainder
}
