import type { AttachmentReading } from '../database/tables.ts'
import { type ExtractionSource, extract } from '../extract/extract.ts'
import type { Extraction } from '../extract/extraction.ts'
import type { ParsedMessage } from './parse-message.ts'
import { type PdfBudget, readPdfs } from './read-pdfs.ts'

/** What a message says that proves itself. */
export interface MessageExtraction {
  /** Of those found in an attachment, `attachment_id` is its place in the message: it has no id yet. */
  readonly extractions: readonly Extraction[]
  /** By place in the message, whether a PDF was read; null for other files. */
  readonly readings: readonly (AttachmentReading | null)[]
}

/**
 * Searches text, HTML and PDFs, in this order: each value is reported where it stands first. Seconds at most;
 * outside of any transaction.
 */
export async function extractMessage(
  { text, html, attachments, sentAt }: ParsedMessage,
  { receivedAt, budget }: { receivedAt: string; budget?: PdfBudget },
): Promise<MessageExtraction> {
  const pdfs = await readPdfs(attachments, budget)
  const sources: ExtractionSource[] = [
    ...(text === null ? [] : [{ source: 'text' as const, text }]),
    ...(html === null ? [] : [{ source: 'html' as const, text: html }]),
    ...pdfs.flatMap(({ text }, position) =>
      text === null ? [] : [{ source: 'attachment' as const, attachment_id: String(position), text }],
    ),
  ]
  const messageDate = toMessageDate(sentAt, receivedAt)
  return { extractions: extract(sources, { messageDate }), readings: pdfs.map(({ reading }) => reading) }
}

const day = 86_400_000

/** When it was written, unless that is later than when it came: a wrong clock must not move due dates. */
function toMessageDate(sentAt: string | null, receivedAt: string): string {
  if (sentAt === null || Date.parse(sentAt) > Date.parse(receivedAt) + day) return receivedAt
  return sentAt
}
