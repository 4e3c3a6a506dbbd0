import { toEmvLength } from './emv-fields.ts'
import type { Finder } from './finding.ts'
import { parsePixCode } from './pix-code.ts'
import type { PixDetails } from './pix-details.ts'

// A code begins with its format and has 512 characters at most; line breaks may be added to that.
const BEGINNING = '000201'
const LONGEST = 540
const NAME = /br\.gov\.bcb\.pix/i
// Past so many in one source they are noise: of beginnings, which cost a look, and of those that name Pix, which
// cost a try at every way to join their lines.
const MOST_BEGINNINGS = 10_000
const MOST_TRIED = 200
const MOST_BREAKS = 8

/**
 * Pix copy-and-paste codes whose structure and checksum are right, also when a mailer broke their lines. The
 * value is the code in one line.
 */
export const findPixCodes: Finder<PixDetails> = function* ({ text }) {
  let at = text.indexOf(BEGINNING)
  for (let seen = 0, tried = 0; at >= 0 && seen < MOST_BEGINNINGS && tried < MOST_TRIED; seen++) {
    const window = text.slice(at, at + LONGEST)
    const isNamed = NAME.test(window.replace(/\s/g, ''))
    const found = isNamed ? readCode(window) : null
    if (found) yield { value: found.code, details: found.details, at: { start: at, end: at + found.width } }
    else if (isNamed) tried += 1
    at = text.indexOf(BEGINNING, at + (found?.width ?? 1))
  }
}

// Where a line was broken, a blank that belongs to a name may have gone or not: both are tried, at each break.
// The lengths of the fields and the checksum tell which was right.
function readCode(window: string) {
  const lines = window.split('\n', MOST_BREAKS + 1)
  const breaks = lines.length - 1
  for (let choice = 0; choice < 1 << breaks; choice++) {
    const joined = lines.reduce((code, line, i) => code + (isBlank(choice, i - 1) ? ' ' : '') + line)
    const length = toEmvLength(joined)
    const code = length === null ? '' : joined.slice(0, length)
    const details = parsePixCode(code)
    if (details) return { code, details, width: toWidth(lines, choice, code.length) }
  }
  return null
}

function isBlank(choice: number, breakNumber: number): boolean {
  return (choice & (1 << breakNumber)) !== 0
}

/** How many characters of the text the code took, line breaks included. */
function toWidth(lines: readonly string[], choice: number, length: number): number {
  let rest = length
  let width = 0
  for (const [i, line] of lines.entries()) {
    if (i > 0) {
      width += 1
      if (isBlank(choice, i - 1)) rest -= 1
    }
    if (rest <= line.length) return width + rest
    rest -= line.length
    width += line.length
  }
  return width
}
