import MailComposer from 'nodemailer/lib/mail-composer'
import type { MessageDraft } from './message-draft.ts'

/** The bytes of a draft. Message-ID, date and boundaries come from it, so they are the same every time. */
export async function composeMessage(key: string, draft: MessageDraft): Promise<Buffer> {
  const messageId = toMessageId(key, draft.from.address)
  if (draft.raw) return draft.raw(messageId)
  const mail = new MailComposer({
    from: draft.from,
    to: draft.inbox,
    subject: draft.subject,
    date: draft.date,
    messageId,
    baseBoundary: key.replace(/[^a-z0-9]/g, ''),
    newline: 'win',
    disableFileAccess: true,
    disableUrlAccess: true,
    ...draft.mail,
  })
  return mail.compile().build()
}

/** `<billing-017-boleto@nuvemsul.test>` */
function toMessageId(key: string, from: string): string {
  return `<${key.replace(/[^a-z0-9]/g, '-')}@${from.split('@')[1]}>`
}
