/** The beginning of a text, and how many characters (Unicode code points) it holds. */
export interface Cut {
  readonly text: string
  readonly characters: number
}

/** The longest beginning of `text` that is at most `maximumBytes` long in UTF-8. No character is cut in two. */
export function cutText(text: string, maximumBytes: number): Cut {
  const bytes = Buffer.from(text)
  let end = Math.min(bytes.length, maximumBytes)
  while (end < bytes.length && isContinuation(bytes[end])) end -= 1
  const kept = bytes.subarray(0, end)
  return {
    text: kept.toString(),
    characters: kept.reduce((n, byte) => n + (isContinuation(byte) ? 0 : 1), 0),
  }
}

/** RFC 3629, section 3: every byte of a character after its first begins with the bits 10. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
