import { sql, type Transaction } from 'kysely'
import type { Database, Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { ingestMessage } from '../mail/ingest-message.ts'
import { Problem } from '../problem/problem.ts'
import { toMarks } from './demo-marks.ts'
import { noteEmails, takeSteps } from './demo-progress.ts'
import { demoRows } from './demo-rows.ts'
import type { DemoMessage } from './messages/demo-message.ts'

export interface EmailSeeding {
  readonly database: Database
  /** Steps that are done, of openDemoProgress. */
  readonly done: ReadonlySet<string>
  readonly signal: AbortSignal
}

interface Delivered {
  readonly step: string
  readonly emailId: string
  readonly workspaceId: string
  readonly labels: string[]
  readonly read: boolean
}

// Some messages a transaction: enough to be quick, few enough that the worker gets its turns in between.
const batchSize = 16

/** Delivers the messages that have not been delivered yet; the worker reads them like any others. */
export async function seedEmails(
  messages: readonly DemoMessage[],
  { database, done, signal }: EmailSeeding,
): Promise<void> {
  const waiting = messages.filter(({ key }) => !done.has(key))
  for (let start = 0; start < waiting.length; start += batchSize) {
    signal.throwIfAborted()
    const batch = waiting.slice(start, start + batchSize)
    // As the owner: the messages are those of several organizations, and tenants cannot see the progress.
    await database.asOwner(trx => deliver(trx, batch))
  }
}

async function deliver(trx: Transaction<Tables>, batch: readonly DemoMessage[]): Promise<void> {
  const taken = await takeSteps(
    trx,
    batch.map(({ key }) => key),
  )
  const delivered: Delivered[] = []
  for (const message of batch.filter(({ key }) => taken.has(key))) {
    const place = await ingest(trx, message)
    if (place) delivered.push({ step: message.key, ...place, ...toMarks(message) })
  }
  await noteEmails(trx, delivered)
  await markEmails(trx, delivered)
}

/** Null where people have deleted or paused the inbox since the demo began: then its mail stays out. */
async function ingest(
  trx: Transaction<Tables>,
  message: DemoMessage,
): Promise<{ emailId: string; workspaceId: string } | null> {
  const { tenant, inboxId } = toPlace(message.inbox)
  try {
    const { emailId } = await ingestMessage(trx, {
      tenant,
      inboxId,
      raw: message.raw,
      envelopeFrom: message.envelopeFrom,
      createdBy: null,
      receivedAt: message.date.toISOString(),
    })
    return { emailId, workspaceId: tenant.workspaceId }
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return null
    throw error
  }
}

function toPlace(address: string): { tenant: Tenant; inboxId: string } {
  const inbox = demoRows.inboxes.find(row => row.address === address)
  if (!inbox) throw new Error(`The demo has no inbox ${address}`)
  return {
    tenant: { organizationId: inbox.organization_id, workspaceId: inbox.workspace_id },
    inboxId: inbox.id,
  }
}

// Not through the repository: this is the state in which the demo begins, and no edit that versions count.
async function markEmails(trx: Transaction<Tables>, delivered: readonly Delivered[]): Promise<void> {
  await sql`
    update emails set labels = mark.labels, read = mark.read
    from jsonb_to_recordset(${JSON.stringify(delivered)}::jsonb)
      as mark("emailId" text, "workspaceId" text, labels text[], read boolean)
    where emails.workspace_id = mark."workspaceId" and emails.id = mark."emailId"`.execute(trx)
}
