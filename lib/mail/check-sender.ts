import type { Transaction } from 'kysely'
import { toSender } from '../allowed-senders/to-sender.ts'
import type { Tables } from '../database/tables.ts'
import type { EmailJob } from '../jobs/queues.ts'
import type { Failure, LockedEmail } from './email-operation.ts'
import type { ParsedMessage } from './parse-message.ts'

/**
 * Why the inbox does not take mail from this sender; null when it does. The sender is whom the From header
 * names, as everybody sees it, or the envelope where there is none. Anybody can write anything there: an
 * allowlist keeps out what nobody asked for and proves nothing about who wrote.
 */
export async function checkSender(
  trx: Transaction<Tables>,
  job: EmailJob,
  { email, message }: { email: LockedEmail; message: ParsedMessage },
): Promise<Failure | null> {
  if (email.senderPolicy === 'anyone') return null
  const sender = toSender(message.from?.address ?? email.envelopeFrom ?? '')
  if (!sender.includes('@'))
    return notAllowed('The message names no sender. This inbox takes mail from allowed senders only.')
  const allowed = await trx
    .selectFrom('allowed_senders')
    .where('workspace_id', '=', job.workspaceId)
    .where('inbox_id', '=', email.inboxId)
    .where('pattern', 'in', [sender, sender.slice(sender.lastIndexOf('@'))])
    .select('pattern')
    .executeTakeFirst()
  if (allowed) return null
  return notAllowed(
    `${sender} is not among the allowed senders of this inbox. If it should be, allow it and process the e-mail again.`,
  )
}

function notAllowed(reason: string): Failure {
  return { code: 'sender_not_allowed', reason }
}
