/** How many values one answer may hold (MCP 2026-07-28, server/utilities/completion). */
export const mostValues = 100

/** A value, and the words by which people know it. */
export interface Candidate {
  readonly value: string
  readonly labels: readonly string[]
}

/** The values that fit what was typed: those that begin with it, then those with a word that does. Pure. */
export function rankCandidates(candidates: readonly Candidate[], typed: string): readonly string[] {
  const wanted = fold(typed)
  const ranked = candidates
    .map(({ value, labels }) => ({
      value,
      rank: Math.min(...[value, ...labels].map(text => rankText(fold(text), wanted))),
    }))
    .filter(({ rank }) => rank < noMatch)
    .sort((a, b) => a.rank - b.rank)
  return [...new Set(ranked.map(({ value }) => value))]
}

const noMatch = 2

function rankText(text: string, wanted: string): number {
  if (text.startsWith(wanted)) return 0
  const words = [...text.matchAll(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu)]
  return words.some(({ index }) => text.startsWith(wanted, index)) ? 1 : noMatch
}

// Without case and accents: people type `faturas sao paulo`.
function fold(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
}
