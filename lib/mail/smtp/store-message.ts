import type { Database } from '../../database/database.ts'
import { Problem } from '../../problem/problem.ts'
import { ingestMessage } from '../ingest-message.ts'
import type { Recipient } from './find-recipient.ts'
import { pausedRecipient, SmtpRefusal, trouble, unknownRecipient } from './smtp-refusal.ts'
import { type Arrival, toTraceFields } from './trace-fields.ts'

/** A message that was received in full, and for whom. */
export interface ReceivedMessage {
  readonly recipients: readonly Recipient[]
  readonly data: Buffer
  readonly arrival: Arrival
}

/**
 * Puts a message into each of its inboxes: an e-mail of its own for each, in a transaction of that tenant. When
 * it returns, all of them are committed. Where one fails the others stay, and the sender, who is told to try
 * again, brings them again as duplicates. Rejects with an SmtpRefusal for what the sender can be told, and with
 * anything else for trouble of ours.
 */
export async function storeMessage(database: Database, message: ReceivedMessage): Promise<string[]> {
  const { data, recipients } = message
  if (data.length === 0) throw new SmtpRefusal(554, 'The message is empty')
  const emailIds: string[] = []
  for (const recipient of recipients) {
    try {
      emailIds.push(await storeFor(database, { ...message, recipient }))
    } catch (error) {
      throw toRefusal(error, recipients.length)
    }
  }
  return emailIds
}

async function storeFor(
  database: Database,
  { recipient, data, arrival }: ReceivedMessage & { recipient: Recipient },
): Promise<string> {
  const { tenant, inboxId, address } = recipient
  const raw = Buffer.concat([toTraceFields(arrival, address), data])
  const envelopeFrom = arrival.envelopeFrom || null
  const { emailId } = await database.inTenant(tenant, trx =>
    ingestMessage(trx, { tenant, inboxId, raw, envelopeFrom, createdBy: null }),
  )
  return emailId
}

/**
 * An inbox may have been paused or deleted since its address was accepted. Of several recipients one reply
 * cannot say which: at the next attempt each of them gets its own, to RCPT TO.
 */
function toRefusal(error: unknown, recipients: number): unknown {
  if (!(error instanceof Problem)) return error
  if (recipients > 1) return trouble()
  if (error.code === 'not_found') return unknownRecipient()
  return error.code === 'conflict' ? pausedRecipient() : error
}
