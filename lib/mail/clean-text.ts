/**
 * What the database can hold of a text, as its sender meant it: no NUL, no half of a surrogate pair, and line breaks
 * of one kind.
 */
export function cleanText(text: string): string {
  return repairLatin(text).replaceAll('\0', '').replace(halves, '').replace(/\r\n?/g, '\n')
}

/** One line without control characters and halves of surrogate pairs, cut at a number of characters; null if nothing is left. */
export function cleanLine(text: string | null | undefined, maximum: number): string | null {
  // Bounds the work. It may leave half of a pair at the end, which goes with those that were there.
  const line = repairLatin(text?.slice(0, maximum * 4) ?? '')
    .replace(halves, '')
    .replace(controls, ' ')
    .trim()
  if (line === '') return null
  // By characters and not by UTF-16 units, so that none is cut in two.
  return line.length <= maximum ? line : [...line].slice(0, maximum).join('').trimEnd()
}

const controls = /[\p{Cc}\u2028\u2029]+/gu
/** Surrogates without their other half: with the flag u, a whole pair is a character of its own. */
const halves = /\p{Cs}/gu

/**
 * TextDecoder of Node 20.18.3 and later reads Windows-1252, and with it everything called Latin-1 or ASCII,
 * as ISO-8859-1 (nodejs/node issue 56542): € and curly quotes become control characters. No text has those,
 * so that they are taken for what they were, as the HTML standard does with numeric references.
 */
function repairLatin(text: string): string {
  return text.replace(/[\u0080-\u009f]/g, control => windows1252[control.charCodeAt(0) - 0x80] ?? control)
}

/** The characters 0x80 to 0x9F of the Encoding Standard's index; five are controls there, too. */
const windows1252 = ['€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f', '\u0090‘’“”•–—˜™š›œ\u009džŸ'].join('')
