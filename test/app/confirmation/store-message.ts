import type { Database, Tenant } from '../../../lib/database/database.ts'
import { ingestMessage } from '../../../lib/mail/ingest-message.ts'
import { processEmail } from '../../../lib/mail/process-email.ts'

/**
 * A message as it arrives, read by the worker's own code; returns the e-mail's id. The queue has to be running,
 * since arriving puts a job into it.
 */
export async function storeMessage(
  database: Database,
  tenant: Tenant,
  { inboxId, raw, receivedAt }: { inboxId: string; raw: string; receivedAt: string },
): Promise<string> {
  const message = { tenant, inboxId, raw: Buffer.from(raw), envelopeFrom: null, createdBy: null, receivedAt }
  const { emailId, operationId } = await database.inTenant(tenant, trx => ingestMessage(trx, message))
  if (operationId === null) throw new Error('the message is a duplicate')
  await processEmail(database, { emailId, operationId, ...tenant })
  return emailId
}
