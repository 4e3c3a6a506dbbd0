import { toMod11Remainder } from './mod11.ts'

/** Whether 11 digits are a CPF: both check digits right (modulus 11, weights 2 to 11), not one digit repeated. */
export function isCpf(digits: string): boolean {
  if (!/^\d{11}$/.test(digits) || /^(\d)\1*$/.test(digits)) return false
  return digits.slice(9) === toDigit(digits.slice(0, 9)) + toDigit(digits.slice(0, 10))
}

function toDigit(digits: string): string {
  const remainder = toMod11Remainder(digits, 11)
  return remainder < 2 ? '0' : String(11 - remainder)
}
