export type TransferEncoding = 'base64' | 'quoted-printable' | 'identity'

/** What the structure of a message depends on, read from the headers of one part. */
export interface PartHeaders {
  /** The lines as they came, one character per byte. */
  readonly block: string
  /** Lower case, without parameters; null where the part does not say. */
  readonly type: string | null
  /** The boundary of a multipart that names one. */
  readonly boundary: string | null
  readonly charset: string | null
  /** Whether lines of the text go on in the next ones, and whether the space at their end is only that sign. */
  readonly flow: 'fixed' | 'flowed' | 'flowed_delsp'
  readonly encoding: TransferEncoding
  /** Whether the sender calls it an attachment; a text that is one is not part of the message's text. */
  readonly isAttachment: boolean
}

/** Reads a block of header lines. Of a field that comes twice the first counts, as for postal-mime. */
export function parsePartHeaders(block: string): PartHeaders {
  const contentType = readField(block, 'content-type')
  const type = contentType?.match(mediaType)
  return {
    block,
    type: type ? `${type[1]}/${type[2]}`.toLowerCase() : null,
    boundary: readParameter(contentType, 'boundary'),
    charset: readParameter(contentType, 'charset'),
    flow: toFlow(contentType),
    encoding: toEncoding(readField(block, 'content-transfer-encoding')),
    isAttachment: /^\s*attachment/i.test(readField(block, 'content-disposition') ?? ''),
  }
}

// RFC 2045, section 5.1, with the comments of RFC 5322 that some programs put before it.
const mediaType = /^\s*(?:\([^()]*\)\s*)*([^\s;/()]+)\/([^\s;/()]+)/
const longestValue = 10_000

/** The value of a field, its folded lines joined (RFC 5322, section 2.2.3). */
export function readField(block: string, name: string): string | null {
  // Not with the flag m, to which a carriage return ends a line as well.
  const pattern = new RegExp(`(?:^|\\n)${name}[ \\t]*:([^\\n]*(?:\\n[ \\t][^\\n]*)*)`, 'i')
  return pattern.exec(block)?.[1]?.replace(/\r?\n/g, '').slice(0, longestValue).trim() ?? null
}

function readParameter(value: string | null, name: string): string | null {
  const pattern = new RegExp(`;\\s*${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`, 'i')
  const match = pattern.exec(value ?? '')
  return match?.[1]?.replace(/\\(.)/g, '$1') || match?.[2] || null
}

/** RFC 3676, section 4. */
function toFlow(contentType: string | null): PartHeaders['flow'] {
  if (readParameter(contentType, 'format')?.toLowerCase() !== 'flowed') return 'fixed'
  return readParameter(contentType, 'delsp')?.toLowerCase() === 'yes' ? 'flowed_delsp' : 'flowed'
}

function toEncoding(value: string | null): TransferEncoding {
  if (/base64/i.test(value ?? '')) return 'base64'
  return /quoted-printable/i.test(value ?? '') ? 'quoted-printable' : 'identity'
}
