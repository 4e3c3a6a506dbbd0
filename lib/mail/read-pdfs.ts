import type { AttachmentReading } from '../database/tables.ts'
import { defaultPdfBounds, extractPdfText } from '../extract/pdf-text.ts'
import { cleanText } from './clean-text.ts'
import type { ParsedAttachment } from './parse-message.ts'

/** How much of one message's PDFs is read. What goes beyond is noted as skipped. */
export interface PdfBudget {
  readonly maxFiles: number
  /** All of them together. */
  readonly maxBytes: number
  readonly maxCharacters: number
  readonly timeoutMs: number
}

/** A job has a minute, of which parsing may take some seconds. */
export const pdfBudget: PdfBudget = Object.freeze({
  maxFiles: 10,
  maxBytes: 31_457_280,
  maxCharacters: 2_000_000,
  timeoutMs: 25_000,
})

/** What was read of one attachment; `reading` is null for what is no PDF and is not meant to be. */
export interface ReadAttachment {
  readonly reading: AttachmentReading | null
  readonly text: string | null
}

/**
 * The texts of a message's PDFs, in the order of its attachments. A PDF that cannot be read is no failure of
 * the message: why is noted. The same file twice is read once.
 */
export async function readPdfs(
  attachments: readonly ParsedAttachment[],
  budget: PdfBudget = pdfBudget,
): Promise<ReadAttachment[]> {
  const end = performance.now() + budget.timeoutMs
  const known = new Map<string, ReadAttachment>()
  let [files, bytes, characters] = [0, 0, 0]
  const results: ReadAttachment[] = []
  for (const attachment of attachments) {
    if (!isPdf(attachment)) {
      results.push({ reading: null, text: null })
      continue
    }
    const { sha256, content } = attachment
    const timeoutMs = Math.min(defaultPdfBounds.timeoutMs, end - performance.now())
    const left = budget.maxCharacters - characters
    const isIn = files < budget.maxFiles && bytes + content.length <= budget.maxBytes && left > 0
    const read: ReadAttachment =
      known.get(sha256) ?? (isIn && timeoutMs > 0 ? await readPdf(content, { timeoutMs, left }) : skipped)
    if (read !== skipped && !known.has(sha256)) {
      files += 1
      bytes += content.length
      characters += read.text?.length ?? 0
      known.set(sha256, read)
    }
    results.push(read)
  }
  return results
}

const skipped: ReadAttachment = { reading: 'skipped', text: null }

/** By what it is called or what it begins with: many programs send every file as a stream of bytes. */
function isPdf({ contentType, filename, content }: ParsedAttachment): boolean {
  if (/^application\/(?:x-)?pdf$/i.test(contentType) || /\.pdf$/i.test(filename ?? '')) return true
  return contentType === 'application/octet-stream' && content.subarray(0, 5).toString('latin1') === '%PDF-'
}

async function readPdf(
  content: Buffer,
  { timeoutMs, left }: { timeoutMs: number; left: number },
): Promise<ReadAttachment> {
  const maxCharacters = Math.min(defaultPdfBounds.maxCharacters, left)
  const pdf = await extractPdfText(content, { timeoutMs, maxCharacters })
  if (!pdf.ok) return { reading: pdf.reason, text: null }
  // Fonts may map to anything: the database takes neither NUL nor half a character.
  const text = cleanText(pdf.text)
  return { reading: pdf.truncated ? 'truncated' : 'read', text }
}
