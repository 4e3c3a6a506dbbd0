import { recordSystemEvent } from '../audit/record-events.ts'
import { purgeAuthorization } from '../authorization/purge-authorization.ts'
import type { Database } from '../database/database.ts'
import type { JobsLog } from '../jobs/jobs.ts'
import { type DueTenant, findDueTenants } from './find-due-tenants.ts'
import type { RetentionPeriods } from './periods.ts'
import { createPurge, type Purge } from './purge.ts'
import { purgeEmails } from './purge-emails.ts'
import { purgeActivity, purgeAuditEvents } from './purge-records.ts'

export interface RetentionRun {
  readonly database: Database
  readonly periods: RetentionPeriods
  readonly log: JobsLog
  readonly signal: AbortSignal
}

/**
 * Purges for good what is past its time, of every tenant, in small transactions, each in its tenant's scope. What a
 * workspace lost is one audit event of it, `retention.purge`. It does nothing while another process does the same.
 * One workspace that fails does not keep the others from their turn.
 */
export async function runRetention(run: RetentionRun): Promise<void> {
  await alone(run.database, async () => {
    for (const tenant of await findDueTenants(run.database, run.periods)) {
      if (run.signal.aborted) return
      await purgeTenant(run, tenant)
    }
    await purgeServer(run)
  })
}

async function purgeServer({ database, log, signal }: RetentionRun): Promise<void> {
  try {
    const counts = await purgeAuthorization(database, signal)
    if (Object.keys(counts).length > 0) log.info(counts, 'purged')
  } catch (error) {
    log.error({ err: error }, 'what the authorization server has no more use for could not be purged')
  }
}

async function purgeTenant({ log, ...run }: RetentionRun, tenant: DueTenant): Promise<void> {
  const purge = createPurge(run)
  let failure: unknown
  try {
    if (tenant.workspaceId !== null) {
      await purgeEmails(purge, tenant)
      await purgeActivity(purge, tenant)
    }
    await purgeAuditEvents(purge, tenant)
  } catch (error) {
    failure = error
    log.error({ err: error, ...tenant }, 'what is past its time could not all be purged')
  }
  if (Object.keys(purge.counts).length > 0) log.info({ ...tenant, ...purge.counts }, 'purged')
  await record(purge, tenant, failure === undefined ? 'succeeded' : 'failed').catch(err =>
    log.error({ err, ...tenant }, 'a purge could not be recorded'),
  )
}

async function record(
  { database, counts }: Purge,
  tenant: DueTenant,
  outcome: 'succeeded' | 'failed',
): Promise<void> {
  const removed = Object.keys(counts).length > 0
  if (!removed && outcome === 'succeeded') return
  const failed = outcome === 'failed' ? { outcome, code: 'internal_error' } : { outcome }
  const event = { action: 'retention.purge', ...failed, ...(removed && { counts }) }
  const { organizationId, workspaceId } = tenant
  // An organization's own record has no tenant to write it.
  if (workspaceId === null) {
    await database.asOwner(trx => recordSystemEvent(trx, { organizationId }, event))
  } else {
    await database.inTenant(tenant, trx => recordSystemEvent(trx, { organizationId, workspaceId }, event))
  }
}

/** The embedded database has one process and one connection, which must not be held. */
async function alone(database: Database, work: () => Promise<void>): Promise<void> {
  if (database.engine === 'pglite') return work()
  const client = await database.pool.connect()
  let isFree = false
  try {
    const lock = `hashtext('kobana.retention')`
    const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_lock(${lock}) as taken`)
    if (rows[0]?.taken) {
      await work()
      await client.query(`select pg_advisory_unlock(${lock})`)
    }
    isFree = true
  } finally {
    // Whatever failed: with the connection, its lock ends.
    client.release(!isFree)
  }
}
