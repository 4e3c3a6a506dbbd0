/**
 * The remainder by 11 of the weighted sum of `symbols`: weights 2, 3… up to `highest` from the right, then 2
 * again. A symbol counts as its ASCII code less 48, so a digit is itself and `A` is 17 (IN RFB 2.229/2024).
 * What the remainder says is each document's own rule.
 */
export function toMod11Remainder(symbols: string, highest = 9): number {
  let sum = 0
  let weight = 2
  for (let i = symbols.length - 1; i >= 0; i--) {
    sum += (symbols.charCodeAt(i) - 48) * weight
    weight = weight === highest ? 2 : weight + 1
  }
  return sum % 11
}
