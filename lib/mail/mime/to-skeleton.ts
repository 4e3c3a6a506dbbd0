import { isUtf8 } from 'node:buffer'
import { decodeBody } from './decode-body.ts'
import type { MessageLimits } from './message-limits.ts'
import type { Leaf, MimePart, Multipart } from './split-message.ts'
import { unflow } from './unflow.ts'
import { unreadable } from './unreadable-message.ts'

/** A small message of the same structure, and the parts that were left out of it. */
export interface Skeleton {
  readonly bytes: Buffer
  /** The part that a body of the skeleton stands for; undefined where the body is the content itself. */
  leafOf(body: string): Leaf | undefined
}

/**
 * The message again, with boundaries of ours, texts decoded and in UTF-8 where they are not in the charset
 * they claim, and a number in place of each attachment. `token` is one that the sender cannot know.
 *
 * It is what postal-mime gets to read, because of how it keeps bodies: one object for each line, some 17
 * microseconds and more than a kilobyte each. Measured with version 4.0.0 on Node 20, a message of two
 * megabytes of line breaks took 36 s and 2.8 GB, eight megabytes of `A=A=` in base64 50 s, and each
 * quoted-printable part 100 KB. Here it sees texts of a bounded size, in long lines, and nothing else that a
 * sender controls but headers.
 */
export function toSkeleton(root: MimePart, options: { limits: MessageLimits; token: string }): Skeleton {
  const writer = new Writer(options)
  writer.add(root)
  return writer.end()
}

class Writer {
  readonly #limits: MessageLimits
  readonly #token: string
  readonly #pieces: Buffer[] = []
  readonly #leaves: Leaf[] = []
  #boundaries = 0
  #textBytes = 0

  constructor({ limits, token }: { limits: MessageLimits; token: string }) {
    this.#limits = limits
    this.#token = token
  }

  add(part: MimePart): void {
    if (part.kind === 'multipart') this.#addMultipart(part)
    else this.#addLeaf(part)
  }

  end(): Skeleton {
    const start = `${this.#token}:`
    const leafOf = (body: string) =>
      body.startsWith(start) ? this.#leaves[Number.parseInt(body.slice(start.length), 10)] : undefined
    return { bytes: Buffer.concat(this.#pieces), leafOf }
  }

  #addMultipart({ headers, parts }: Multipart): void {
    const boundary = `${this.#token}-${this.#boundaries++}`
    // Of a field that comes twice the first counts, and that is this one.
    this.#write(`Content-Type: ${toMultipartType(headers.type)}; boundary="${boundary}"\n`)
    this.#pieces.push(toHeaderBytes(headers.block))
    for (const part of parts) {
      this.#write(`--${boundary}\n`)
      this.add(part)
    }
    this.#write(`--${boundary}--\n`)
  }

  #addLeaf(leaf: Leaf): void {
    const isBrokenMultipart = leaf.headers.type?.startsWith('multipart/')
    if (isBrokenMultipart) this.#write('Content-Type: text/plain\n')
    // It is put together already, and postal-mime joins quotes of different people.
    else if (isFlowed(leaf)) this.#write(`Content-Type: text/plain${toCharset(leaf)}\n`)
    this.#write('Content-Transfer-Encoding: base64\n')
    this.#pieces.push(toHeaderBytes(leaf.headers.block), toBase64Lines(this.#toContent(leaf)))
  }

  #toContent(leaf: Leaf): Buffer {
    if (!isText(leaf)) return Buffer.from(`${this.#token}:${this.#leaves.push(leaf) - 1}`)
    const text = toText(leaf)
    this.#textBytes += text.length
    if (this.#textBytes > this.#limits.maxTextBytes) throw unreadable.textTooLarge(this.#limits)
    return text
  }

  #write(line: string): void {
    this.#pieces.push(Buffer.from(line))
  }
}

function isText({ headers: { type, isAttachment } }: Leaf): boolean {
  if (isAttachment) return false
  return type === null || /^(?:text\/(?:plain|html)|multipart\/.*)$/.test(type)
}

/** In UTF-8 or without a charset, bytes that are no UTF-8 are Windows-1252 in practice. */
function toText({ headers, body }: Leaf): Buffer {
  const bytes = decodeBody(body, headers.encoding)
  const claimsUtf8 = headers.charset === null || /^utf-?8$/i.test(headers.charset.trim())
  const text = claimsUtf8 ? toUtf8(bytes) : bytes
  if (!isFlowed({ headers })) return text
  const delSp = headers.flow === 'flowed_delsp'
  return Buffer.from(unflow(text.toString('latin1'), { delSp }), 'latin1')
}

/** Not in charsets whose line feed is more than one byte. */
function isFlowed({ headers: { type, flow, isAttachment, charset } }: Pick<Leaf, 'headers'>): boolean {
  return (
    flow !== 'fixed' && type === 'text/plain' && !isAttachment && !/utf-?(?:16|32)|ucs/i.test(charset ?? '')
  )
}

function toCharset({ headers: { charset } }: Leaf): string {
  return charset !== null && /^[\w.:+-]{1,40}$/.test(charset) ? `; charset=${charset}` : ''
}

function toUtf8(bytes: Buffer): Buffer {
  return isUtf8(bytes) ? bytes : Buffer.from(windows1252.decode(bytes))
}

const windows1252 = new TextDecoder('windows-1252')

/** Ends with the blank line. A line that begins with a blank would continue the field put before it. */
function toHeaderBytes(block: string): Buffer {
  const bytes = toUtf8(Buffer.from(block.replace(/^[ \t]+/, ''), 'latin1'))
  const isEnded = bytes.length === 0 || bytes.at(-1) === 0x0a
  return Buffer.concat([bytes, Buffer.from(isEnded ? '\n' : '\n\n')])
}

function toMultipartType(type: string | null): string {
  return type !== null && /^multipart\/[a-z0-9.+-]{1,40}$/.test(type) ? type : 'multipart/mixed'
}

/** 57,000 bytes a line: postal-mime works line by line. */
function toBase64Lines(content: Buffer): Buffer {
  const lines: string[] = []
  for (let start = 0; start < content.length; start += 57_000) {
    lines.push(content.toString('base64', start, start + 57_000))
  }
  return Buffer.from(`${lines.join('\n')}\n`)
}
