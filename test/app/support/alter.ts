/**
 * The text with another character at `index` (from the end where it is negative): never the same text, whatever
 * stood there. Neither does it decode to the same bytes, as base64 whose last character carries unused bits may.
 */
export function alter(text: string, index: number): string {
  const at = index < 0 ? text.length + index : index
  const other = text.charAt(at) === 'A' ? 'Q' : 'A'
  return `${text.slice(0, at)}${other}${text.slice(at + 1)}`
}
