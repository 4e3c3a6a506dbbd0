import { readField } from './mime/part-headers.ts'

/** The header lines that are looked at; a longer header is refused by the parser later. */
const longestHeader = 262_144
/** RFC 5322, section 2.1.1: no line is longer. It also keeps within what an index can hold. */
const longestId = 998

/**
 * The Message-ID of a raw message without its angle brackets, or null if it has none that can be used. Reads
 * the header only and parses nothing else: cheap enough to be asked before a message is stored.
 */
export function readMessageId(raw: Buffer): string | null {
  const value = readField(toHeader(raw), 'message-id')
  if (value === null) return null
  const id = /<([^<>\s]+)>/.exec(value)?.[1] ?? /^[^<>\s]+/.exec(value)?.[0]
  if (id === undefined || id.length > longestId) return null
  // In headers, anything but ASCII stands outside RFC 5322; NUL and the like cannot be stored.
  return /^[\x21-\x7e]+$/.test(id) ? id : null
}

function toHeader(raw: Buffer): string {
  const start = raw.toString('latin1', 0, longestHeader)
  return start.slice(0, /\n\r?\n/.exec(start)?.index)
}
