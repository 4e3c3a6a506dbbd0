import type { TransferEncoding } from './part-headers.ts'
import { unreadable } from './unreadable-message.ts'

const mostBase64Pieces = 100_000

/** Undoes a transfer encoding (RFC 2045, section 6). Never longer than what comes in. */
export function decodeBody(body: Buffer, encoding: TransferEncoding): Buffer {
  if (encoding === 'base64') return decodeBase64(body)
  return encoding === 'quoted-printable' ? decodeQuotedPrintable(body) : body
}

function decodeBase64(body: Buffer): Buffer {
  const text = body.toString('latin1')
  const end = text.indexOf('=')
  if (end === -1 || /^[=\s]*$/.test(text.slice(end, end + 1_000))) return Buffer.from(text, 'base64')
  // Some programs pad every line. Each piece is decoded by itself, or all that follows the first is garbage.
  const pieces = text.split(/=+/, mostBase64Pieces + 1)
  if (pieces.length > mostBase64Pieces) throw unreadable.brokenBase64(mostBase64Pieces)
  return Buffer.concat(pieces.map(piece => Buffer.from(piece, 'base64')))
}

/** RFC 2045, section 6.7. What is no valid escape stays as it is, as the section recommends. */
function decodeQuotedPrintable(body: Buffer): Buffer {
  const decoded = Buffer.alloc(body.length)
  let length = 0
  for (let index = 0; index < body.length; ) {
    const softBreak = body[index] === equals ? toSoftBreakEnd(body, index + 1) : -1
    if (softBreak !== -1) {
      index = softBreak
      continue
    }
    const byte = body[index] === equals ? toByte(body[index + 1], body[index + 2]) : -1
    decoded[length++] = byte === -1 ? (body[index] ?? 0) : byte
    index += byte === -1 ? 1 : 3
  }
  return decoded.subarray(0, length)
}

const [equals, lineFeed, carriageReturn, space, tab] = [0x3d, 0x0a, 0x0d, 0x20, 0x09]

/** Where the next line begins if a `=` ends this one; blanks may have been added on the way. -1 if not. */
function toSoftBreakEnd(body: Buffer, start: number): number {
  let index = start
  while (index < start + 1_000 && (body[index] === space || body[index] === tab)) index += 1
  if (body[index] === carriageReturn) index += 1
  if (index >= body.length) return body.length
  return body[index] === lineFeed ? index + 1 : -1
}

function toByte(high: number | undefined, low: number | undefined): number {
  const [first, second] = [toDigit(high), toDigit(low)]
  return first === -1 || second === -1 ? -1 : first * 16 + second
}

function toDigit(character: number | undefined): number {
  if (character === undefined) return -1
  if (character >= 0x30 && character <= 0x39) return character - 0x30
  const letter = character | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : -1
}
