import type { Transaction } from 'kysely'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { createId } from '../id/id.ts'
import { getReceivingInbox } from '../inboxes/repository.ts'
import { enqueueJob } from '../jobs/enqueue-job.ts'
import { createOperation } from '../operations/repository.ts'
import { problem } from '../problem/problem.ts'
import { cleanLine } from './clean-text.ts'
import { readMessageId } from './read-message-id.ts'

/** A message on its way into an inbox. */
export interface IncomingMessage {
  readonly tenant: Tenant
  readonly inboxId: string
  /** As it arrived, byte for byte. */
  readonly raw: Buffer
  /** The reverse path of the envelope; null where there was none. */
  readonly envelopeFrom: string | null
  /** The user who brought it; null where it came by itself. */
  readonly createdBy: string | null
  /** RFC 3339; now unless given. */
  readonly receivedAt?: string
}

export interface IngestedMessage {
  readonly emailId: string
  /** The operation that reads it. Null for a duplicate of an e-mail whose operations are gone. */
  readonly operationId: string | null
  /** Whether the inbox had the message already: then nothing was made and the ids are those of the first. */
  readonly duplicate: boolean
}

/**
 * Takes a message in: the e-mail, its bytes, an operation and its job, all in the caller's transaction, so
 * that what is committed is kept and will be read. A message whose Message-ID the inbox has already is a
 * duplicate, also when both arrive at the same moment: a unique index decides. Throws `not_found`, `conflict`
 * for a paused inbox, or `validation_failed` for an empty message.
 */
export async function ingestMessage(
  trx: Transaction<Tables>,
  message: IncomingMessage,
): Promise<IngestedMessage> {
  const { tenant, inboxId, raw, createdBy } = message
  if (raw.length === 0) throw problem('validation_failed', 'The message is empty.')
  await getReceivingInbox(trx, tenant, inboxId)
  const messageId = readMessageId(raw)
  const emailId = await insertEmail(trx, { ...message, messageId })
  if (emailId === undefined) return findFirst(trx, { tenant, inboxId, messageId })
  await trx
    .insertInto('email_sources')
    .values({ email_id: emailId, workspace_id: tenant.workspaceId, raw })
    .execute()
  const { id: operationId } = await createOperation(trx, tenant, {
    kind: 'email.process',
    emailId,
    createdBy,
  })
  await enqueueJob(trx, 'email.process', { emailId, operationId, ...tenant })
  return { emailId, operationId, duplicate: false }
}

/** Undefined for a duplicate. An insert of the same message that is under way is waited for. */
async function insertEmail(
  trx: Transaction<Tables>,
  {
    tenant,
    inboxId,
    raw,
    envelopeFrom,
    receivedAt,
    messageId,
  }: IncomingMessage & { messageId: string | null },
): Promise<string | undefined> {
  const row = await trx
    .insertInto('emails')
    .values({
      id: createId('eml'),
      organization_id: tenant.organizationId,
      workspace_id: tenant.workspaceId,
      inbox_id: inboxId,
      message_id: messageId,
      envelope_from: cleanLine(envelopeFrom, 320),
      size_bytes: raw.length,
      ...(receivedAt !== undefined && { received_at: receivedAt }),
    })
    .onConflict(conflict => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

async function findFirst(
  trx: Transaction<Tables>,
  { tenant, inboxId, messageId }: { tenant: Tenant; inboxId: string; messageId: string | null },
): Promise<IngestedMessage> {
  const { workspaceId } = tenant
  const email = await trx
    .selectFrom('emails')
    .where('workspace_id', '=', workspaceId)
    .where('inbox_id', '=', inboxId)
    .where('message_id', '=', messageId)
    .where('deleted_at', 'is', null)
    .select('id')
    .executeTakeFirst()
  // It was deleted between the two statements. The sender's next attempt finds no duplicate.
  if (!email) throw problem('conflict', 'The same message was just deleted from this inbox. Send it again.')
  const operation = await trx
    .selectFrom('operations')
    .where('workspace_id', '=', workspaceId)
    .where('email_id', '=', email.id)
    .where('kind', '=', 'email.process')
    .select('id')
    .orderBy('created_at')
    .orderBy('id')
    .executeTakeFirst()
  return { emailId: email.id, operationId: operation?.id ?? null, duplicate: true }
}
