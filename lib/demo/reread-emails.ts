import type { Transaction } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { resetEmail } from '../emails/reset-email.ts'
import { enqueueJob } from '../jobs/enqueue-job.ts'
import { createOperation } from '../operations/repository.ts'
import { findMadeEmails, takeSteps } from './demo-progress.ts'
import type { EmailSeeding } from './seed-emails.ts'

const batchSize = 16

/**
 * Has the worker read again what it read for a demo of an earlier version, which knew neither extractions nor rules:
 * each e-mail once, as somebody who reprocesses it would.
 */
export async function rereadEmails(
  keys: readonly string[],
  { database, done, signal }: EmailSeeding,
): Promise<void> {
  const waiting = keys.filter(key => done.has(key) && !done.has(toStep(key)))
  for (let start = 0; start < waiting.length; start += batchSize) {
    signal.throwIfAborted()
    const batch = waiting.slice(start, start + batchSize)
    await database.asOwner(trx => reread(trx, batch))
  }
}

async function reread(trx: Transaction<Tables>, keys: readonly string[]): Promise<void> {
  const taken = await takeSteps(trx, keys.map(toStep))
  const emails = await findMadeEmails(
    trx,
    keys.filter(key => taken.has(toStep(key))),
  )
  for (const { emailId, organizationId, workspaceId } of emails) {
    const tenant = { organizationId, workspaceId }
    const kind = 'email.process'
    await resetEmail(trx, tenant, emailId)
    const { id: operationId } = await createOperation(trx, tenant, { kind, emailId, createdBy: null })
    await enqueueJob(trx, kind, { emailId, operationId, ...tenant })
  }
}

function toStep(key: string): string {
  return `read-again/${key}`
}
