import { toMod11 } from './mod11.ts'

/** Adds both check digits to the nine digits of a CPF; its weights grow without returning to 2. */
export function toCpf(root: string): string {
  if (!/^\d{9}$/.test(root)) throw new RangeError(`Not the root of a CPF: ${root}`)
  const first = root + toMod11(root, 11)
  return first + toMod11(first, 11)
}

/** Written as on paper: 529.982.247-25. */
export function formatCpf(cpf: string): string {
  return cpf.replace(/^(\d{3})(\d{3})(\d{3})(\d{2})$/, '$1.$2.$3-$4')
}
