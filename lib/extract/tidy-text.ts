import { OffsetMap, type Stretch } from './offset-map.ts'

export interface TidyText {
  readonly text: string
  toOrigin(stretch: Stretch): Stretch
}

// Soft hyphen, zero-width characters and directional marks: they split numbers without being seen.
const INVISIBLE = '\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060\\u2066-\\u2069\\ufeff'
// A mark of quotation at the beginning of a line, and a no-break space that some mailers write out in plain text.
const RUN = new RegExp(`(?:\\n(?:> ?)+|&nbsp;|&#160;|[\\s${INVISIBLE}])+`, 'g')
const ONLY_INVISIBLE = new RegExp(`^[${INVISIBLE}]+$`)
const DASH = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g

/**
 * Plain text with its blanks and dashes made uniform. RUN ends in nothing that could fail, so it never goes
 * back: one pass, whatever the text.
 */
export function toTidyText(raw: string): TidyText {
  const pieces: string[] = []
  const map = new OffsetMap()
  let kept = 0
  for (const run of raw.matchAll(RUN)) {
    const blank = toBlank(run[0])
    if (blank === run[0]) continue
    const end = run.index + run[0].length
    keep(kept, run.index)
    map.add(blank.length, { start: run.index, end })
    pieces.push(blank)
    kept = end
  }
  if (kept > 0) keep(kept, raw.length)
  const text = kept > 0 ? pieces.join('') : raw
  return { text: text.replace(DASH, '-'), toOrigin: kept > 0 ? s => map.toOrigin(s) : s => s }

  function keep(start: number, end: number): void {
    map.add(end - start, { start, end })
    pieces.push(raw.slice(start, end))
  }
}

function toBlank(run: string): string {
  if (run === ' ' || run === '\n') return run
  if (ONLY_INVISIBLE.test(run)) return ''
  return run.includes('\n') ? '\n' : ' '
}
