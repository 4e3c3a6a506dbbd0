import type { MessageLimits } from './message-limits.ts'

export type UnreadableCode =
  | 'message_empty'
  | 'message_too_large'
  | 'headers_too_large'
  | 'too_many_headers'
  | 'too_many_parts'
  | 'nested_too_deep'
  | 'too_many_attachments'
  | 'text_too_large'
  | 'broken_encoding'

/** A message that is not read, whoever tries how often. `reason` is a sentence for the people of the inbox. */
export class UnreadableMessage extends Error {
  override readonly name = 'UnreadableMessage'
  readonly code: UnreadableCode
  readonly reason: string

  constructor(code: UnreadableCode, reason: string) {
    super(reason)
    this.code = code
    this.reason = reason
  }
}

/** Every reason there is, each with what can be done about it. */
export const unreadable = {
  empty: () => new UnreadableMessage('message_empty', 'The message is empty.'),

  tooLarge: ({ maxBytes }: MessageLimits) =>
    new UnreadableMessage(
      'message_too_large',
      `The message is larger than ${toSize(maxBytes)}. Ask the sender to send a link to the files instead.`,
    ),

  headersTooLarge: ({ maxHeaderBytes }: MessageLimits) =>
    new UnreadableMessage(
      'headers_too_large',
      `The headers of the message are larger than ${toSize(maxHeaderBytes)}. Ask the sender to write to fewer recipients at a time.`,
    ),

  tooManyHeaders: ({ maxHeaders }: MessageLimits) =>
    new UnreadableMessage(
      'too_many_headers',
      `The message has more than ${maxHeaders} header lines. Ask the sender to write a new message.`,
    ),

  tooManyParts: ({ maxParts }: MessageLimits) =>
    new UnreadableMessage(
      'too_many_parts',
      `The message has more than ${maxParts} parts. Ask the sender to pack the files into one archive.`,
    ),

  partsTooDeep: ({ maxDepth }: MessageLimits) =>
    new UnreadableMessage(
      'nested_too_deep',
      `The parts of the message are nested more than ${maxDepth} deep, which no mail program does. Ask the sender to write a new message.`,
    ),

  tooManyAttachments: (count: number, { maxAttachments }: MessageLimits) =>
    new UnreadableMessage(
      'too_many_attachments',
      `The message has ${count} attachments; at most ${maxAttachments} are read. Ask the sender to pack them into one archive.`,
    ),

  textTooLarge: ({ maxTextBytes }: MessageLimits) =>
    new UnreadableMessage(
      'text_too_large',
      `The text of the message is larger than ${toSize(maxTextBytes)}. Ask the sender to send it as an attached file.`,
    ),

  htmlTooLarge: (what: string) =>
    new UnreadableMessage(
      'text_too_large',
      `The HTML of the message has more than ${what}. Ask the sender to send it as an attached file.`,
    ),

  htmlTooDeep: (depth: number) =>
    new UnreadableMessage(
      'nested_too_deep',
      `The HTML of the message is nested more than ${depth} deep. Ask the sender to write it as plain text.`,
    ),

  brokenBase64: (places: number) =>
    new UnreadableMessage(
      'broken_encoding',
      `The base64 of a part of the message is broken by padding in more than ${places} places. Ask the sender to send it from another program.`,
    ),
}

/** Bytes for a person: `25 MB`, `512 KB`. */
function toSize(bytes: number): string {
  const [amount, unit] = bytes < 1_048_576 ? [bytes / 1024, 'KB'] : [bytes / 1_048_576, 'MB']
  return `${amount.toLocaleString('en', { maximumFractionDigits: 1 })} ${unit}`
}
