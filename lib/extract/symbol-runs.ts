import type { Readable } from './readable.ts'

/**
 * The runs of symbols in a text, and which of them print as parts of one number: those with at most three
 * separators between them (blanks, line breaks, dots, hyphens, slashes). In typed arrays, because a text can be
 * nothing but runs.
 */
export interface SymbolRuns {
  readonly count: number
  /** The codes of all symbols, one run after the other. */
  readonly symbols: Uint8Array
  /** Of each run, its position in `symbols`, with the total length after the last. */
  readonly starts: Int32Array
  /** Of each run, its position in the text. */
  readonly places: Int32Array
  /** Of each run, what stands between it and the one before: APART, SEPARATOR or LINE_BREAK. */
  readonly gaps: Uint8Array
}

const APART = 0
const SEPARATOR = 1
const LINE_BREAK = 2

/** Consecutive runs that hold exactly as many symbols as asked for. */
export interface Window {
  /** Position of the first symbol in `symbols`. */
  readonly from: number
  /** The runs: first, and the one after the last. */
  readonly first: number
  readonly beyond: number
}

const digitRuns = new WeakMap<Readable, SymbolRuns>()

/** The runs of digits; kept, because several kinds ask for them. */
export function toDigitRuns(readable: Readable): SymbolRuns {
  const known = digitRuns.get(readable)
  if (known) return known
  const runs = toRuns(readable.text, code => code >= 48 && code <= 57)
  digitRuns.set(readable, runs)
  return runs
}

/** The runs of digits and capitals. */
export function toCapitalRuns({ text }: Readable): SymbolRuns {
  return toRuns(text, code => (code >= 48 && code <= 57) || (code >= 65 && code <= 90))
}

/**
 * Every window of `length` symbols that `isLikely`, asked for the position of its first symbol, does not dismiss.
 * Linear: both ends only move forward.
 */
export function* windowsOf(
  { count, starts, gaps }: SymbolRuns,
  length: number,
  isLikely: (from: number) => boolean,
): Generator<Window> {
  let beyond = 0
  for (let first = 0; first < count; first++) {
    const from = starts[first] ?? 0
    const to = from + length
    if (beyond <= first) beyond = first + 1
    while (beyond < count && gaps[beyond] !== APART && (starts[beyond] ?? 0) < to) beyond++
    if (starts[beyond] === to && isLikely(from)) yield { from, first, beyond }
  }
}

/**
 * Whether a window is parted only where such a number is when printed. Among many loose numbers some agree by
 * chance; one broken in the wrong places is not read as one. Mail wraps lines where it likes, so one line break
 * may stand anywhere.
 */
export function isPartedAt(
  { starts, gaps }: SymbolRuns,
  { from, first, beyond }: Window,
  parts: Set<number>,
): boolean {
  let wraps = 0
  for (let run = first + 1; run < beyond; run++) {
    if (parts.has((starts[run] ?? 0) - from)) continue
    wraps += 1
    if (gaps[run] !== LINE_BREAK || wraps > 1) return false
  }
  return true
}

/** The symbols of a window. */
export function toSymbols({ symbols }: SymbolRuns, from: number, length: number): string {
  return String.fromCharCode(...symbols.subarray(from, from + length))
}

/** Where the window stands in the text. */
export function toPlace({ starts, places }: SymbolRuns, { first, beyond }: Window) {
  const last = beyond - 1
  const width = (starts[beyond] ?? 0) - (starts[last] ?? 0)
  return { start: places[first] ?? 0, end: (places[last] ?? 0) + width }
}

function toRuns(text: string, isSymbol: (code: number) => boolean): SymbolRuns {
  const symbols = new Uint8Array(text.length)
  const starts = new Int32Array((text.length >> 1) + 2)
  const places = new Int32Array((text.length >> 1) + 2)
  const gaps = new Uint8Array((text.length >> 1) + 2)
  let count = 0
  let total = 0
  for (let i = 0, end = -4; i < text.length; i++) {
    let code = text.charCodeAt(i)
    if (!isSymbol(code)) continue
    starts[count] = total
    places[count] = i
    gaps[count++] = toGap(text, end, i)
    while (isSymbol(code)) {
      symbols[total++] = code
      code = text.charCodeAt(++i)
    }
    end = i
  }
  starts[count] = total
  return { count, symbols, starts, places, gaps }
}

function toGap(text: string, start: number, end: number): number {
  if (end - start > 3) return APART
  let gap = SEPARATOR
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i)
    if (code === 10) gap = LINE_BREAK
    // Blank, hyphen, dot, slash.
    else if (code !== 32 && (code < 45 || code > 47)) return APART
  }
  return gap
}
