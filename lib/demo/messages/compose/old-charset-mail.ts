import { type Charset, encodeCharset } from './charset.ts'
import { toEncodedWords } from './encoded-words.ts'
import type { Mailbox } from './message-draft.ts'
import { toBase64Body, toMailDate, toQuotedPrintableBody, toRawMessage } from './raw-message.ts'

export interface OldCharsetMail {
  from: Mailbox
  to: string
  date: Date
  subject: string
  text: string
  charset: Charset
  transfer: 'quoted-printable' | 'base64' | '8bit' | '7bit'
}

/** A text/plain message in a charset from before UTF-8, header and body alike. */
export function toOldCharsetMail(mail: OldCharsetMail): (messageId: string) => Buffer {
  const body = encodeCharset(mail.text.replace(/\r?\n/g, '\r\n'), mail.charset)
  return messageId =>
    toRawMessage(
      [
        ['From', `${toEncodedWords(mail.from.name, mail.charset)} <${mail.from.address}>`],
        ['To', mail.to],
        ['Subject', toEncodedWords(mail.subject, mail.charset)],
        ['Date', toMailDate(mail.date)],
        ['Message-ID', messageId],
        ['MIME-Version', '1.0'],
        ['Content-Type', `text/plain; charset=${mail.charset}`],
        ['Content-Transfer-Encoding', mail.transfer],
      ],
      toBody(body, mail.transfer),
    )
}

function toBody(bytes: Buffer, transfer: OldCharsetMail['transfer']): Buffer | string {
  if (transfer === 'quoted-printable') return toQuotedPrintableBody(bytes)
  return transfer === 'base64' ? toBase64Body(bytes) : bytes
}
