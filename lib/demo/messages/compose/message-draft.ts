import type { Options } from 'nodemailer/lib/mail-composer'
import type { DemoMessage, MessageCodes } from '../demo-message.ts'

export interface Mailbox {
  name: string
  address: string
}

/** What the composing library is given, envelope headers aside. */
export type MailParts = Pick<
  Options,
  'text' | 'html' | 'attachments' | 'icalEvent' | 'inReplyTo' | 'headers' | 'encoding' | 'cc'
>

/** A message before it has bytes: parts for the composing library, or `raw`, which writes the bytes itself. */
export interface MessageDraft {
  /** What it is, for the key: `boleto`, `pix`, … */
  kind: string
  inbox: string
  from: Mailbox
  date: Date
  subject: string
  mail?: MailParts
  raw?: (messageId: string) => Buffer
  /** `processed` unless it says otherwise. */
  outcome?: DemoMessage['outcome']
  codes?: Partial<MessageCodes>
}
