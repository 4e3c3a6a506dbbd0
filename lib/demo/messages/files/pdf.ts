import { encodeCharset } from '../compose/charset.ts'

/**
 * A one-page PDF (1.4, A4) whose lines are selectable text in Helvetica. No dates, no random id and no
 * compression: the same lines give the same bytes.
 */
export function toPdf(title: string, lines: readonly string[]): Buffer {
  const text = lines.map(line => `(${escapeString(line)}) Tj T*`).join('\n')
  const content = `BT /F1 16 Tf 56 780 Td (${escapeString(title)}) Tj /F1 10 Tf 0 -30 Td 15 TL\n${text}\nET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${encodeCharset(content, 'windows-1252').length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ]
  return assemble(objects)
}

function assemble(objects: readonly string[]): Buffer {
  let body = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = body.length
    body += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const entries = offsets.map(offset => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${entries}`
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`
  // One byte per character, so the offsets counted above are offsets in bytes.
  return encodeCharset(body + table + trailer, 'windows-1252')
}

function escapeString(text: string): string {
  return text.replace(/[\\()]/g, '\\$&')
}
