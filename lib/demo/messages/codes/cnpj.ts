import { toMod11 } from './mod11.ts'

/** Adds both check digits to the twelve characters of a CNPJ, numeric or (since July 2026) alphanumeric. */
export function toCnpj(root: string): string {
  if (!/^[0-9A-Z]{12}$/.test(root)) throw new RangeError(`Not the root of a CNPJ: ${root}`)
  const first = root + toMod11(root)
  return first + toMod11(first)
}

/** Written as on paper: 12.ABC.345/01DE-35. */
export function formatCnpj(cnpj: string): string {
  return cnpj.replace(/^(.{2})(.{3})(.{3})(.{4})(.{2})$/, '$1.$2.$3/$4-$5')
}
