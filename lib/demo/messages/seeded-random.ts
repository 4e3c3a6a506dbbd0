export interface SeededRandom {
  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number
  pick<T>(items: readonly [T, ...T[]]): T
  /** So many decimal digits. */
  digits(count: number): string
}

/** The same sequence for the same seed on every machine: demo data must not differ between two starts. */
export function createSeededRandom(seed: string): SeededRandom {
  let state = hash(seed)
  // xorshift32 (Marsaglia, 2003): 32-bit integers only, so no platform rounds it differently.
  const next = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 0x1_0000_0000
  }
  const integer = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    integer,
    pick: items => items[integer(0, items.length - 1)] ?? items[0],
    digits: count => Array.from({ length: count }, () => integer(0, 9)).join(''),
  }
}

// FNV-1a; never 0, which xorshift could not leave.
function hash(text: string): number {
  let value = 0x811c9dc5
  for (const byte of Buffer.from(text, 'utf8')) value = Math.imul(value ^ byte, 0x01000193)
  return value || 1
}
