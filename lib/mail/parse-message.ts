import { randomBytes } from 'node:crypto'
import PostalMime, { type Address } from 'postal-mime'
import type { MailAddress } from '../database/tables.ts'
import { cleanLine, cleanText } from './clean-text.ts'
import { toPlainText } from './html-to-text.ts'
import { type MessageLimits, messageLimits } from './mime/message-limits.ts'
import { splitMessage } from './mime/split-message.ts'
import { toSkeleton } from './mime/to-skeleton.ts'
import { unreadable } from './mime/unreadable-message.ts'
import { openAttachment, type ParsedAttachment } from './open-attachment.ts'
import { parseDate } from './parse-date.ts'
import { readMessageId } from './read-message-id.ts'

export { type MessageLimits, messageLimits } from './mime/message-limits.ts'
export { UnreadableMessage } from './mime/unreadable-message.ts'
export type { ParsedAttachment } from './open-attachment.ts'

/** What a message says. Nothing in it is to be trusted: anybody can write anything into a message. */
export interface ParsedMessage {
  /** Without angle brackets. */
  readonly messageId: string | null
  readonly subject: string | null
  /** The address in lower case. */
  readonly from: MailAddress | null
  readonly to: MailAddress[]
  readonly cc: MailAddress[]
  /** The Date header: RFC 3339, UTC, with milliseconds. */
  readonly sentAt: string | null
  /** The plain text; made from the HTML where there is none. */
  readonly text: string | null
  readonly html: string | null
  readonly attachments: ParsedAttachment[]
}

/**
 * Reads a message: MIME (RFC 2045 to 2047, 2231), the charsets of the WHATWG, format=flowed. A forwarded
 * message is an attachment. Throws `UnreadableMessage` for what is beyond the limits. It takes seconds at
 * most, whatever it is given.
 */
export async function parseMessage(
  raw: Buffer,
  limits: MessageLimits = messageLimits,
): Promise<ParsedMessage> {
  checkSize(raw, limits)
  // The sender must not be able to write what stands for a part.
  const skeleton = toSkeleton(splitMessage(raw, limits), { limits, token: randomBytes(12).toString('hex') })
  const email = await PostalMime.parse(skeleton.bytes, {
    forceRfc822Attachments: true,
    // Counted already; the skeleton has a few bytes more for each part.
    maxHeadersSize: skeleton.bytes.length,
    maxNestingDepth: limits.maxDepth + 1,
  })
  const parts = email.attachments.map(attachment => openAttachment(attachment, skeleton))
  const attachments = parts.flatMap(({ files }) => files)
  if (attachments.length > limits.maxAttachments) {
    throw unreadable.tooManyAttachments(attachments.length, limits)
  }
  const html = email.html === undefined ? null : cleanText(email.html)
  const packed = parts.find(({ text }) => text !== null)?.text ?? undefined
  if (packed !== undefined && packed.length > limits.maxTextBytes) throw unreadable.textTooLarge(limits)
  return {
    messageId: readMessageId(raw),
    subject: cleanLine(email.subject, longestSubject),
    from: toSender(email.from),
    to: toAddresses(email.to),
    cc: toAddresses(email.cc),
    sentAt: parseDate(email.headers.find(({ key }) => key === 'date')?.value ?? null),
    text: toText(email.text, html) ?? toText(packed, null),
    html,
    attachments,
  }
}

const longestSubject = 1_000
const longestName = 250
const longestAddress = 320
/** Of those a header may name a hundred thousand; each answer of the API would carry them. */
const mostAddresses = 500

function checkSize(raw: Buffer, limits: MessageLimits): void {
  if (raw.length === 0) throw unreadable.empty()
  if (raw.length > limits.maxBytes) throw unreadable.tooLarge(limits)
}

function toText(text: string | undefined, html: string | null): string | null {
  const plain = cleanText(text ?? '').trim()
  if (plain !== '' || html === null) return plain || null
  return cleanText(toPlainText(html)).trim() || null
}

function toSender(address: Address | undefined): MailAddress | null {
  const [sender] = toAddresses(address ? [address] : [])
  return sender ? { ...sender, address: sender.address.toLowerCase() } : null
}

/** Groups (RFC 5322, section 3.4) count as their members. */
function toAddresses(addresses: Address[] | undefined): MailAddress[] {
  return (addresses ?? [])
    .flatMap(entry => entry.group ?? [entry])
    .slice(0, mostAddresses)
    .map(({ address, name }) => ({
      address: cleanLine(address, longestAddress),
      name: cleanLine(name, longestName),
    }))
    .flatMap(({ address, name }) => (address?.includes('@') ? [{ address, name }] : []))
}
