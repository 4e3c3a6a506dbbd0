import type { Transaction } from 'kysely'
import type { Tenant } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { createId, idSchema } from '../id/id.ts'
import { enqueueJob } from '../jobs/enqueue-job.ts'
import { createOperation, findUnfinishedOn } from '../operations/repository.ts'
import type { Operation } from '../operations/schema.ts'
import { problem } from '../problem/problem.ts'
import type { Erasure } from './schema.ts'
import type { Subject } from './subject.ts'

const kind = 'data.erase'

/**
 * Begins to erase what came from a subject; the operation ends with it. While the same is being erased, the answer is
 * the operation that is under way, also for two requests at the same moment: a unique index decides.
 */
export async function beginErasure(
  trx: Transaction<Tables>,
  { organizationId, workspaceId }: Tenant,
  { subject, createdBy }: { subject: Subject; createdBy: string },
): Promise<Operation> {
  const tenant = { organizationId, workspaceId }
  const inserted = await trx
    .insertInto('data_erasures')
    .values({
      id: createId('era'),
      organization_id: organizationId,
      workspace_id: workspaceId,
      subject_kind: subject.kind,
      subject: subject.value,
    })
    .onConflict(conflict =>
      conflict.columns(['workspace_id', 'subject']).where('subject', 'is not', null).doNothing(),
    )
    .returning('id')
    .executeTakeFirst()
  if (!inserted) return findUnderWay(trx, tenant, subject)
  const resource = { type: 'data_erasure', id: inserted.id }
  const operation = await createOperation(trx, tenant, { kind, resource, createdBy })
  await enqueueJob(trx, kind, { erasureId: inserted.id, operationId: operation.id, ...tenant })
  return operation
}

/** What an erasure has done. Throws `not_found`. */
export async function getErasure(trx: Transaction<Tables>, tenant: Tenant, id: string): Promise<Erasure> {
  const isId = idSchema('era').safeParse(id).success
  const row = isId
    ? await trx
        .selectFrom('data_erasures')
        .where('workspace_id', '=', tenant.workspaceId)
        .where('id', '=', id)
        .select(['id', 'subject_kind', 'emails', 'bytes', 'created_at', 'finished_at'])
        .executeTakeFirst()
    : undefined
  if (!row) throw problem('not_found', 'There is no such erasure in this workspace.')
  return row
}

async function findUnderWay(
  trx: Transaction<Tables>,
  tenant: Tenant,
  { value }: Subject,
): Promise<Operation> {
  const row = await trx
    .selectFrom('data_erasures')
    .where('workspace_id', '=', tenant.workspaceId)
    .where('subject', '=', value)
    .select('id')
    .executeTakeFirst()
  const resource = row && { type: 'data_erasure', id: row.id }
  const operation = resource && (await findUnfinishedOn(trx, tenant, { kind, resource }))
  if (operation) return operation
  throw problem(
    'conflict',
    'The same erasure ended at this moment. Send the request again for what came since.',
  )
}
