import { z } from 'zod'
import { isCnpj } from './cnpj-digits.ts'
import { isCpf } from './cpf-digits.ts'
import type { Finder, Finding } from './finding.ts'
import { toMod11Remainder } from './mod11.ts'
import {
  isPartedAt,
  type SymbolRuns,
  toCapitalRuns,
  toDigitRuns,
  toPlace,
  toSymbols,
  windowsOf,
} from './symbol-runs.ts'

export const nfeKeyDetails = z.object({
  model: z.enum(['nfe', 'nfce']).meta({ description: 'nfe: model 55; nfce: model 65, of retail sales' }),
  uf: z.string().meta({ description: 'State of the issuer, two letters' }),
  issued_month: z.string().meta({ description: 'YYYY-MM' }),
  issuer_cnpj: z.string().nullable().meta({ description: '14 characters; null when a person issued it' }),
  issuer_cpf: z.string().nullable().meta({ description: '11 digits; null when a company issued it' }),
  series: z.int(),
  number: z.int(),
  emission_type: z.int().nullable().meta({
    description:
      'tpEmis: 1 is normal, others are contingencies; null in keys of the first layouts, which had none',
  }),
  numeric_code: z.string(),
})

export type NfeKeyDetails = z.infer<typeof nfeKeyDetails>

const states = new Map(
  `11 RO 12 AC 13 AM 14 RR 15 PA 16 AP 17 TO 21 MA 22 PI 23 CE 24 RN 25 PB 26 PE 27 AL 28 SE 29 BA 31 MG 32 ES
  33 RJ 35 SP 41 PR 42 SC 43 RS 50 MS 51 MT 52 GO 53 DF`
    .match(/\d\d \w\w/g)
    ?.map(entry => [entry.slice(0, 2), entry.slice(3)] as const),
)
const LENGTH = 44
const FIVE = 0x35
// In groups of four as on a DANFE, or by its fields, those of the CNPJ and the number parted too.
const PARTS = new Set([2, 4, 6, 8, 11, 12, 14, 16, 18, 20, 22, 24, 25, 28, 31, 32, 34, 35, 36, 37, 40, 43])
const PATTERN = /^\d{6}[0-9A-Z]{12}\d{26}$/

/**
 * Access keys of NF-e and NFC-e (Manual de Orientação do Contribuinte, and NT Conjunta 2025.001 for issuers
 * with letters in their CNPJ), in one piece or in groups. The value is the 44 characters.
 */
export const findNfeKeys: Finder<NfeKeyDetails> = function* (readable) {
  const digits = toDigitRuns(readable)
  yield* find(digits, from => isLikely(digits, from))
  // Capitals beside digits make other runs: a second look, for the keys that have letters.
  const capitals = toCapitalRuns(readable)
  yield* find(capitals, from => isLikely(capitals, from) && hasLetter(capitals, from))
}

function* find(runs: SymbolRuns, isLikely: (from: number) => boolean): Generator<Finding<NfeKeyDetails>> {
  for (const window of windowsOf(runs, LENGTH, isLikely)) {
    if (!isPartedAt(runs, window, PARTS)) continue
    const value = toSymbols(runs, window.from, LENGTH)
    const details = parseNfeKey(value)
    if (details) yield { value, details, at: toPlace(runs, window) }
  }
}

// Month and model, which hardly any other number has in these places, before the work of a full look.
function isLikely({ symbols }: SymbolRuns, from: number): boolean {
  const month = ((symbols[from + 4] ?? 0) - 48) * 10 + (symbols[from + 5] ?? 0) - 48
  return month >= 1 && month <= 12 && symbols[from + 21] === FIVE && (symbols[from + 20] ?? 0) - FIVE < 2
}

function hasLetter({ symbols }: SymbolRuns, from: number): boolean {
  return symbols.subarray(from + 6, from + 18).some(code => code > 57)
}

/**
 * Decodes a key, or null unless state, month, model, the issuer's own check digits and the key's digit are
 * right. State 2, year and month 4, issuer 14, model 2, series 3, number 9, emission 1, code 8, digit 1.
 */
export function parseNfeKey(key: string): NfeKeyDetails | null {
  if (!PATTERN.test(key) || !isDigitRight(key)) return null
  const uf = states.get(key.slice(0, 2))
  const month = key.slice(4, 6)
  const model = toModel(key.slice(20, 22))
  const series = Number(key.slice(22, 25))
  const issuer = toIssuer(key.slice(6, 20), series)
  if (!uf || month < '01' || month > '12' || !model || !issuer) return null
  return {
    model,
    uf,
    issued_month: `20${key.slice(2, 4)}-${month}`,
    ...issuer,
    series,
    number: Number(key.slice(25, 34)),
    // Up to layout 1.10 the code had nine digits; a 0 where the type of emission stands is the first of those.
    emission_type: key[34] === '0' ? null : Number(key[34]),
    numeric_code: key.slice(key[34] === '0' ? 34 : 35, 43),
  }
}

function isDigitRight(key: string): boolean {
  const remainder = toMod11Remainder(key.slice(0, 43))
  return key[43] === (remainder < 2 ? '0' : String(11 - remainder))
}

function toModel(code: string): NfeKeyDetails['model'] | null {
  if (code === '55') return 'nfe'
  return code === '65' ? 'nfce' : null
}

// Series 910 to 969 may be of natural persons, whose CPF is filled up with zeros.
function toIssuer(issuer: string, series: number) {
  if (isCnpj(issuer)) return { issuer_cnpj: issuer, issuer_cpf: null }
  const isPerson = series >= 910 && series <= 969 && issuer.startsWith('000') && isCpf(issuer.slice(3))
  return isPerson ? { issuer_cnpj: null, issuer_cpf: issuer.slice(3) } : null
}
