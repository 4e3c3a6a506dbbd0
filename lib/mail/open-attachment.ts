import { createHash } from 'node:crypto'
import type { Attachment } from 'postal-mime'
import type { AttachmentDisposition } from '../database/tables.ts'
import { cleanLine } from './clean-text.ts'
import { decodeBody } from './mime/decode-body.ts'
import type { Skeleton } from './mime/to-skeleton.ts'
import { readTnef } from './tnef/read-tnef.ts'

export interface ParsedAttachment {
  /** Without any path. */
  readonly filename: string | null
  readonly contentType: string
  /** Without angle brackets. */
  readonly contentId: string | null
  readonly disposition: AttachmentDisposition
  /** 64 hexadecimal digits, lower case. */
  readonly sha256: string
  readonly content: Buffer
}

export interface OpenedAttachment {
  /** The attachment, and behind it the files that it is a package of. */
  readonly files: readonly ParsedAttachment[]
  /** The message's text, where it is packed as well. */
  readonly text: string | null
}

/** Takes an attachment as its sender meant it, with the files of a `winmail.dat` behind it. */
export function openAttachment(attachment: Attachment, skeleton: Skeleton): OpenedAttachment {
  const { filename, mimeType, contentId, disposition, related } = attachment
  const whole = toAttachment({
    filename: filename ?? null,
    contentType: mimeType,
    contentId: contentId ?? null,
    isInline: disposition === 'inline' || related === true,
    content: toContent(attachment, skeleton),
  })
  if (!isTnef(whole)) return { files: [whole], text: null }
  const { text, files } = readTnef(whole.content)
  return {
    files: [whole, ...files.map(file => toAttachment({ ...file, isInline: file.contentId !== null }))],
    text,
  }
}

function isTnef({ contentType, filename }: ParsedAttachment): boolean {
  return /^application\/(?:vnd\.)?ms-tnef$/i.test(contentType) || /^winmail\.dat$/i.test(filename ?? '')
}

interface FileOfSender {
  readonly filename: string | null
  readonly contentType: string | null
  readonly contentId: string | null
  readonly isInline: boolean
  readonly content: Buffer
}

function toAttachment({
  filename,
  contentType,
  contentId,
  isInline,
  content,
}: FileOfSender): ParsedAttachment {
  return {
    filename: cleanLine(filename?.split(/[/\\]/).at(-1), longestName),
    contentType: mediaType.test(contentType ?? '') ? (contentType ?? '') : 'application/octet-stream',
    contentId: cleanLine(contentId?.replace(/^\s*<|>\s*$/g, ''), longestName),
    disposition: isInline ? 'inline' : 'attachment',
    sha256: createHash('sha256').update(content).digest('hex'),
    content,
  }
}

const longestName = 250

const mediaType = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/

function toContent({ content }: Attachment, skeleton: Skeleton): Buffer {
  const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(new Uint8Array(content))
  const leaf = skeleton.leafOf(bytes.toString('latin1', 0, 100))
  return leaf ? decodeBody(leaf.body, leaf.headers.encoding) : bytes
}
