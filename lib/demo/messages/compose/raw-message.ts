import { encode as toQuotedPrintable, wrap } from 'nodemailer/lib/qp'

export type RawHeaders = readonly (readonly [name: string, value: string])[]

/** A message (or a part of one) written by hand: what the composing library is too well-behaved to make. */
export function toRawMessage(headers: RawHeaders, body: Buffer | string): Buffer {
  const head = headers.map(([name, value]) => `${name}: ${value}`).join('\r\n')
  const bytes = typeof body === 'string' ? Buffer.from(withCrlf(body), 'utf8') : body
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), bytes])
}

/** Parts between their boundary lines, with the closing one. */
export function toMultipartBody(boundary: string, parts: readonly Buffer[]): Buffer {
  const opening = Buffer.from(`--${boundary}\r\n`)
  const closing = Buffer.from(`--${boundary}--\r\n`)
  return Buffer.concat([...parts.flatMap(part => [opening, part, Buffer.from('\r\n')]), closing])
}

/** Quoted-printable of bytes in any charset, line ends as CRLF. */
export function toQuotedPrintableBody(bytes: Buffer): string {
  return withCrlf(wrap(toQuotedPrintable(bytes), 76))
}

/** Base64 in lines of 76 characters. */
export function toBase64Body(bytes: Buffer): string {
  return bytes.toString('base64').replace(/.{1,76}/g, '$&\r\n')
}

/** RFC 5322 date in Brasília time, as Brazilian mail programs write it. */
export function toMailDate(date: Date): string {
  const local = new Date(date.getTime() - 3 * 3_600_000)
  return local.toUTCString().replace('GMT', '-0300')
}

function withCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n')
}
