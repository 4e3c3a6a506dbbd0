import { sql, type Transaction } from 'kysely'
import { recordSystemEvent } from '../audit/record-events.ts'
import type { Database, Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { enqueueJob } from '../jobs/enqueue-job.ts'
import type { ErasureJob } from '../jobs/queues.ts'
import { findEmails } from './find-emails.ts'

/** E-mails deleted in one transaction: with their bytes, which may be many megabytes each. */
const batch = 50
/** Milliseconds that a job works before it leaves the rest to another one: well below what a job may take. */
const patience = 20_000

/**
 * Deletes for good what came from the subject of an erasure, batch by batch; how far it came is committed with what
 * was deleted, so that a job that was killed goes on where it was. A job may run twice, or two side by side: the
 * erasure's row is locked, and what is finished stays so.
 */
export async function erase(database: Database, job: ErasureJob, patienceMs = patience): Promise<void> {
  const tenant: Tenant = { organizationId: job.organizationId, workspaceId: job.workspaceId }
  const deadline = Date.now() + patienceMs
  for (;;) {
    const isFinished = await database.inTenant(tenant, trx => eraseSome(trx, tenant, job))
    if (isFinished) return
    if (Date.now() > deadline) {
      return database.inTenant(tenant, trx => enqueueJob(trx, 'data.erase', job))
    }
  }
}

/** Ends the operation of a job that failed for good. What is deleted stays deleted. */
export async function giveUpOnErasure(database: Database, job: ErasureJob): Promise<void> {
  const tenant: Tenant = { organizationId: job.organizationId, workspaceId: job.workspaceId }
  await database.inTenant(tenant, async trx => {
    const erasure = await lockUnfinished(trx, job)
    if (erasure) await finish(trx, { tenant, job, failure: unfinished, ...erasure })
  })
}

interface Failure {
  readonly code: string
  readonly detail: string
}

const unfinished: Failure = {
  code: 'internal_error',
  detail: 'The erasure could not be finished. What it deleted stays deleted; ask for it again to go on.',
}

interface UnfinishedErasure {
  readonly subject_kind: 'address' | 'document'
  readonly subject: string
  readonly searched_to: string
  readonly emails: number
  readonly bytes: number
}

async function lockUnfinished(
  trx: Transaction<Tables>,
  { workspaceId, erasureId }: ErasureJob,
): Promise<UnfinishedErasure | null> {
  const row = await trx
    .selectFrom('data_erasures')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', erasureId)
    .select(['subject_kind', 'subject', 'searched_to', 'emails', 'bytes'])
    .forUpdate()
    .executeTakeFirst()
  return row && row.subject !== null ? { ...row, subject: row.subject } : null
}

/** Whether there is nothing left to do. */
async function eraseSome(trx: Transaction<Tables>, tenant: Tenant, job: ErasureJob): Promise<boolean> {
  const erasure = await lockUnfinished(trx, job)
  if (!erasure) return true
  const subject = { kind: erasure.subject_kind, value: erasure.subject }
  const found = await findEmails(trx, tenant, { subject, reach: 'sent', after: erasure.searched_to })
  const ids = found.ids.slice(0, batch)
  const removed = await deleteForGood(trx, tenant, ids)
  const next = ids.length < found.ids.length ? (ids.at(-1) ?? null) : found.next
  const emails = erasure.emails + removed.emails
  const bytes = erasure.bytes + removed.bytes
  if (next === null) {
    await finish(trx, { tenant, job, failure: null, emails, bytes })
    return true
  }
  await erasureOf(trx, job).set({ searched_to: next, emails, bytes }).execute()
  await operationOf(trx, job)
    .set({ status: 'running', started_at: sql<string>`coalesce(started_at, now())` })
    .execute()
  return false
}

/** By the references of their tables, everything that was made of them goes along. */
async function deleteForGood(
  trx: Transaction<Tables>,
  { workspaceId }: Tenant,
  ids: readonly string[],
): Promise<{ emails: number; bytes: number }> {
  if (ids.length === 0) return { emails: 0, bytes: 0 }
  const rows = await trx
    .deleteFrom('emails')
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', ids)
    .returning('size_bytes')
    .execute()
  return { emails: rows.length, bytes: rows.reduce((sum, { size_bytes }) => sum + size_bytes, 0) }
}

interface Ending {
  readonly tenant: Tenant
  readonly job: ErasureJob
  readonly failure: Failure | null
  readonly emails: number
  readonly bytes: number
}

/** With the end, whose data it was is forgotten here, too. */
async function finish(
  trx: Transaction<Tables>,
  { tenant, job, failure, emails, bytes }: Ending,
): Promise<void> {
  await erasureOf(trx, job)
    .set({ subject: null, searched_to: '', emails, bytes, finished_at: sql<string>`now()` })
    .execute()
  await operationOf(trx, job)
    .set({
      status: failure ? 'failed' : 'succeeded',
      error_code: failure?.code ?? null,
      error_detail: failure?.detail ?? null,
      started_at: sql<string>`coalesce(started_at, now())`,
      finished_at: sql<string>`now()`,
    })
    .execute()
  await recordSystemEvent(trx, tenant, {
    action: 'data.erase',
    resource: { type: 'data_erasure', id: job.erasureId },
    counts: { emails, bytes },
    ...(failure && { outcome: 'failed' as const, code: failure.code }),
  })
}

function erasureOf(trx: Transaction<Tables>, { workspaceId, erasureId }: ErasureJob) {
  return trx.updateTable('data_erasures').where('workspace_id', '=', workspaceId).where('id', '=', erasureId)
}

function operationOf(trx: Transaction<Tables>, { workspaceId, operationId }: ErasureJob) {
  return trx
    .updateTable('operations')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', operationId)
    .where('status', 'in', ['queued', 'running'])
}
