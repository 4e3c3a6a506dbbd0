/** What the database can hold of a text: no NUL, and line breaks of one kind. */
export function cleanText(text: string): string {
  return text.replaceAll('\0', '').replace(/\r\n?/g, '\n')
}

/** One line without control characters, cut at a number of characters; null if nothing is left. */
export function cleanLine(text: string | null | undefined, maximum: number): string | null {
  const line = text
    ?.slice(0, maximum * 4)
    .replace(controls, ' ')
    .trim()
  if (!line) return null
  // By characters and not by UTF-16 units, so that none is cut in two.
  return line.length <= maximum ? line : [...line].slice(0, maximum).join('').trimEnd()
}

const controls = /[\p{Cc}\u2028\u2029]+/gu
