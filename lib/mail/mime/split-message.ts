import type { MessageLimits } from './message-limits.ts'
import { type PartHeaders, parsePartHeaders } from './part-headers.ts'
import { unreadable } from './unreadable-message.ts'

/** One part of a message, still encoded. */
export type MimePart = Multipart | Leaf

export interface Multipart {
  readonly kind: 'multipart'
  readonly headers: PartHeaders
  readonly parts: MimePart[]
}

export interface Leaf {
  readonly kind: 'leaf'
  readonly headers: PartHeaders
  body: Buffer
}

/**
 * Takes a message apart at its boundaries (RFC 2046, section 5.1), under limits, in one pass that is as fast
 * on hostile mail as on any. It decodes nothing. What is broken is read as far as it goes: a boundary that is
 * never closed, one that the header does not name right, text around the parts. Throws `UnreadableMessage`.
 */
export function splitMessage(raw: Buffer, limits: MessageLimits): MimePart {
  const reader = new Reader(raw, limits)
  const root = reader.openPart(null)
  while (reader.nextDelimiter()) reader.openPart(reader.parent())
  return root
}

interface OpenMultipart {
  readonly part: Multipart
  /** Two dashes and the boundary. */
  readonly delimiter: Buffer
}

const [lineFeed, carriageReturn, dash, space, tab] = [0x0a, 0x0d, 0x2d, 0x20, 0x09]

class Reader {
  readonly #raw: Buffer
  readonly #limits: MessageLimits
  /** The multiparts around the current position, outermost first. */
  readonly #open: OpenMultipart[] = []
  /** The part whose body is being read, and where it begins; none in the text around parts. */
  #leaf: Leaf | null = null
  #bodyStart = 0
  #position = 0
  #parts = 0
  #headers = 0
  #headerBytes = 0

  constructor(raw: Buffer, limits: MessageLimits) {
    this.#raw = raw
    this.#limits = limits
  }

  parent(): Multipart | null {
    return this.#open.at(-1)?.part ?? null
  }

  /** Reads the header lines at the current position and adds the part that they begin to its parent. */
  openPart(parent: Multipart | null): MimePart {
    this.#parts += 1
    if (this.#parts > this.#limits.maxParts) throw unreadable.tooManyParts(this.#limits)
    const headers = parsePartHeaders(this.#readHeaderBlock())
    const boundary = headers.type?.startsWith('multipart/') ? this.#findBoundary(headers, parent) : null
    const part: MimePart =
      boundary === null
        ? { kind: 'leaf', headers, body: this.#raw.subarray(this.#position) }
        : { kind: 'multipart', headers, parts: [] }
    parent?.parts.push(part)
    this.#leaf = part.kind === 'leaf' ? part : null
    this.#bodyStart = this.#position
    if (part.kind === 'multipart') {
      if (this.#open.length >= this.#limits.maxDepth) throw unreadable.partsTooDeep(this.#limits)
      this.#open.push({ part, delimiter: Buffer.from(`--${boundary}`, 'latin1') })
    }
    return part
  }

  /** Goes to the line after the next delimiter that begins a part, ending what it ends. False at the end. */
  nextDelimiter(): boolean {
    while (this.#open.length > 0) {
      const start = this.#findDashes()
      if (start === -1) return false
      const end = this.#lineEnd(start)
      this.#position = Math.min(end + 1, this.#raw.length)
      const match = this.#match(start, end)
      if (!match) continue
      this.#endLeaf(start)
      this.#open.length = match.index + (match.closes ? 0 : 1)
      if (!match.closes) return true
    }
    return false
  }

  /** The next line that begins with two dashes. The search is native: a body costs next to nothing. */
  #findDashes(): number {
    const at = this.#position
    if (this.#raw[at] === dash && this.#raw[at + 1] === dash) return at
    // From the line feed before on: the position is the beginning of a line.
    const found = this.#raw.indexOf('\n--', Math.max(at - 1, 0))
    return found === -1 ? -1 : found + 1
  }

  /** Which multipart's delimiter a line is, if any, innermost first. Blanks may follow it. */
  #match(start: number, end: number): { index: number; closes: boolean } | null {
    for (let index = this.#open.length - 1; index >= 0; index--) {
      const delimiter = this.#open[index]?.delimiter
      if (!delimiter || !this.#startsWith(delimiter, start)) continue
      const after = start + delimiter.length
      const closes = this.#raw[after] === dash && this.#raw[after + 1] === dash
      if (isBlank(this.#raw, closes ? after + 2 : after, end)) return { index, closes }
    }
    return null
  }

  /** Byte by byte: without a string for each of what may be millions of lines. */
  #startsWith(delimiter: Buffer, start: number): boolean {
    for (let index = 0; index < delimiter.length; index++) {
      if (this.#raw[start + index] !== delimiter[index]) return false
    }
    return true
  }

  /** The line break before a delimiter belongs to the delimiter. */
  #endLeaf(delimiter: number): void {
    if (!this.#leaf) return
    let end = delimiter
    if (end > this.#bodyStart && this.#raw[end - 1] === lineFeed) end -= 1
    if (end > this.#bodyStart && this.#raw[end - 1] === carriageReturn) end -= 1
    this.#leaf.body = this.#raw.subarray(this.#bodyStart, end)
    this.#leaf = null
  }

  /** Up to the blank line, or to a delimiter where that is missing. */
  #readHeaderBlock(): string {
    const start = this.#position
    while (this.#position < this.#raw.length) {
      const lineStart = this.#position
      const end = this.#lineEnd(lineStart)
      if (isEmpty(this.#raw, lineStart, end)) {
        this.#position = Math.min(end + 1, this.#raw.length)
        return this.#raw.toString('latin1', start, lineStart)
      }
      if (this.#raw[lineStart] === dash && this.#match(lineStart, end)) break
      this.#countHeader(end + 1 - lineStart)
      this.#position = Math.min(end + 1, this.#raw.length)
    }
    return this.#raw.toString('latin1', start, this.#position)
  }

  #countHeader(bytes: number): void {
    this.#headers += 1
    this.#headerBytes += bytes
    if (this.#headerBytes > this.#limits.maxHeaderBytes) throw unreadable.headersTooLarge(this.#limits)
    if (this.#headers > this.#limits.maxHeaders) throw unreadable.tooManyHeaders(this.#limits)
  }

  /**
   * The boundary that a multipart names. The whole message's may be missing or not be the one in use: then it
   * is the first line of dashes that header lines follow. Null if there is none; it is no multipart then.
   */
  #findBoundary(headers: PartHeaders, parent: Multipart | null): string | null {
    if (parent) return headers.boundary
    if (headers.boundary !== null && this.#raw.includes(`--${headers.boundary}`, this.#position, 'latin1')) {
      return headers.boundary
    }
    const body = this.#raw.toString('latin1', this.#position, this.#position + 65_536)
    return /^--(\S{1,200})[ \t]*\r?\nContent-[\w-]{1,40}[ \t]*:/im.exec(body)?.[1] ?? null
  }

  #lineEnd(start: number): number {
    const end = this.#raw.indexOf(lineFeed, start)
    return end === -1 ? this.#raw.length : end
  }
}

/** Whether a line has nothing but its end. */
function isEmpty(raw: Buffer, start: number, end: number): boolean {
  return end === start || (end === start + 1 && raw[start] === carriageReturn)
}

function isBlank(raw: Buffer, start: number, end: number): boolean {
  for (let index = start; index < end; index++) {
    if (raw[index] !== space && raw[index] !== tab && raw[index] !== carriageReturn) return false
  }
  return true
}
