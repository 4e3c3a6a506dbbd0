import { toMod11Remainder } from './mod11.ts'

/**
 * Whether 14 characters are a CNPJ, numeric or of the alphanumeric form of IN RFB 2.229/2024: twelve digits or
 * capitals and two check digits, both right; not one character repeated.
 */
export function isCnpj(characters: string): boolean {
  if (!/^[0-9A-Z]{12}\d{2}$/.test(characters) || /^(.)\1*$/.test(characters)) return false
  return characters.slice(12) === toDigit(characters.slice(0, 12)) + toDigit(characters.slice(0, 13))
}

/** As it is printed: 12.ABC.345/01DE-35. */
export function formatCnpj(cnpj: string): string {
  return cnpj.replace(/^(..)(...)(...)(....)(..)$/, '$1.$2.$3/$4-$5')
}

function toDigit(characters: string): string {
  const remainder = toMod11Remainder(characters)
  return remainder < 2 ? '0' : String(11 - remainder)
}
